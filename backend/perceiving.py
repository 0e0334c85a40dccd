"""Depth and objects for whoever waits: the worker of a loaded checkpoint looks, for the server has no torch."""

from __future__ import annotations

import asyncio
import secrets
from functools import partial

from backend.engine_process import WorkerLost
from backend.fleet import Fleet
from backend.jobs.dispatcher import Spoken
from backend.messages import (
    CompareViews,
    PaintControl,
    PaintFrame,
    Perceive,
    Perceived,
    PerceptionFailed,
    Seen,
    StopPerceiving,
)
from studio.errors import EngineLost
from studio.perception import perception_folder


class PerceptionService:
    """Lives on the event loop's thread; the fleet owns the workers."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet

    async def see(self, work: PaintFrame | PaintControl | CompareViews) -> Seen:
        """What comes of it. When this is cancelled, so is the looking.

        Raises:
            CheckpointNotFound: the model was not pulled.
            BrokenCheckpoint, OutOfMemory: it cannot be loaded, or does not fit.
            Busy, Conflict: no engine is ready, or none is loaded.
            EngineError: the worker died.
            BadInput, MediaNotFound, DiskFull, StorageError: a file cannot be read or written.
        """
        await asyncio.to_thread(perception_folder, work.hint, "hint")
        group = await self._fleet.any_group()
        name = secrets.token_hex(6)
        seen: asyncio.Future[Seen] = asyncio.get_running_loop().create_future()
        with group.hold() as engine, engine.listening(name, partial(_settle, seen)):
            engine.send(Perceive(name, work))
            try:
                return await seen
            finally:
                if seen.cancelled():
                    engine.send(StopPerceiving(name))


def _settle(seen: asyncio.Future[Seen], event: Spoken | WorkerLost) -> None:
    if seen.done():
        return
    match event:
        case Perceived():
            seen.set_result(event.seen)
        case PerceptionFailed():
            seen.set_exception(event.failure.error())
        case _:
            seen.set_exception(EngineLost("The worker crashed during this request.", hint="Try again in a moment."))
