"""Accepting jobs and answering for them: what a route calls, and nothing a route need know."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Mapping
from typing import Any

import structlog

from backend.adapter_rack import AdapterRack
from backend.broadcast import Broadcast
from backend.checkpoint_shelf import CheckpointShelf
from backend.jobs.board import Board
from backend.jobs.dispatcher import Dispatcher
from backend.jobs.inputs import check_inputs
from backend.jobs.ledger import Ledger
from backend.media import MediaStore
from studio.events import Delta
from studio.jobs import Job, JobState
from studio.presets import complete
from studio.requests import Request, parse_request
from studio.rules import refusals

log = structlog.get_logger("orrery.jobs")

CANCEL_ANSWER_S = 5.0
"""How long a cancel waits for the worker's present step before it answers with the job as it is."""


class JobService:
    """The verbs of `/v1/jobs`."""

    def __init__(
        self,
        board: Board,
        dispatcher: Dispatcher,
        shelf: CheckpointShelf,
        media: MediaStore,
        adapters: AdapterRack,
        broadcast: Broadcast,
    ) -> None:
        self._board = board
        self._media = media
        self._adapters = adapters
        self._dispatcher = dispatcher
        self._shelf = shelf
        self._broadcast = broadcast

    async def submit(self, payload: Mapping[str, Any]) -> Job:
        """Accept a request; once this returns, the job survives everything.

        Args:
            payload: decoded JSON of a request; what it leaves out comes from the checkpoint's preset.

        Raises:
            BadInput: it is no legal request, or this checkpoint refuses it.
            MediaNotFound: it names something that is not in the store.
            CheckpointNotFound, Conflict: it names a checkpoint that is unknown, or not loaded.
            StorageError: it could not be written down.
            BrokenCheckpoint, EngineError: the checkpoint could not be loaded; what was queued before waits.
        """
        checkpoint = self._shelf.serving(payload.get("checkpoint"))
        request = parse_request(complete(checkpoint.preset, payload))
        for refusal in refusals(request, checkpoint.capabilities()):
            raise refusal.error()
        await asyncio.to_thread(self._check_named, request)
        self._refuse_if_failed()
        job = await self._board.move(Ledger.insert, secrets.token_hex(6), request, checkpoint.id)
        log.info("job_accepted", job_id=job.id, kind=job.kind, checkpoint=job.checkpoint)
        self._dispatcher.wake()
        return job

    def _check_named(self, request: Request) -> None:
        """Everything that a request names is there, and can be used."""
        if request.adapter is not None:
            self._adapters.path(request.adapter.name)
        check_inputs(request, self._media)

    async def get(self, job_id: str) -> Job:
        """One job. Raises JobNotFound."""
        return await self._board.get(job_id)

    async def newest(self, limit: int, state: JobState | None) -> list[Job]:
        """The newest jobs, newest first."""
        return await self._board.newest(limit, state)

    async def cancel(self, job_id: str) -> Job:
        """Cancel, and wait a moment for the worker to let go. Raises JobNotFound, Conflict."""
        job = await self._dispatcher.cancel(job_id)
        return job if job.state.ended else await self._settled(job_id)

    async def stop(self, job_id: str) -> Job:
        """Stop a running job and keep what is there. Raises JobNotFound, Conflict."""
        await self._dispatcher.stop_job(job_id)
        return await self._settled(job_id)

    async def retry(self, job_id: str) -> Job:
        """Queue a failed or cancelled job again.

        Raises:
            JobNotFound: there is none.
            Conflict: it has not ended, or it succeeded.
            MediaNotFound, BadInput: what it was made from is gone.
            BrokenCheckpoint, EngineError: as `submit`.
        """
        job = await self._board.get(job_id)
        if job.state in (JobState.FAILED, JobState.CANCELLED):
            await asyncio.to_thread(self._check_named, job.request)
        self._refuse_if_failed()
        job = await self._board.move(Ledger.retry, job_id)
        self._dispatcher.wake()
        return job

    async def follow(self, job_id: str) -> AsyncIterator[Job]:
        """A job now and after each change, until it has ended or the reader lags too far. Raises JobNotFound."""
        with self._broadcast.subscribe() as subscription:
            job = await self._board.get(job_id)
            yield job
            while not (job.state.ended or subscription.lagged):
                item = await subscription.items.get()
                if isinstance(item, Delta) and item.key == "jobs" and item.id == job_id:
                    job = await self._board.get(job_id)
                    yield job

    async def finished(self, job_id: str) -> Job:
        """A job once it has ended, however long that takes. Raises JobNotFound."""
        job = await self._board.get(job_id)
        while not job.state.ended:
            async for seen in self.follow(job_id):
                job = seen
        return job

    def _refuse_if_failed(self) -> None:
        if self._dispatcher.status.error is not None:
            raise self._dispatcher.status.error.error()

    async def _settled(self, job_id: str) -> Job:
        try:
            return await asyncio.wait_for(self.finished(job_id), CANCEL_ANSWER_S)
        except TimeoutError:
            return await self._board.get(job_id)
