"""A host as the server sees it: what it says of itself, and calls that outlast a cut of the network."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import structlog

from studio.catalogue import DeviceMemory
from studio.system import SystemLoad

log = structlog.get_logger("orrery.cluster")

AWAY_S = 0.5
"""Pause before a host that does not answer is asked again. Ray says when it is gone: after five health
checks that fail, 14 s after a kill -9 of all its processes as measured with Ray 2.60."""


class HostAwayError(Exception):
    """A call did not get through, or its answer did not; the host may still be there."""


class HostGoneError(Exception):
    """The host's actor has ended, and every worker with it."""


@dataclass(frozen=True)
class HostFacts:
    """What a host says of itself.

    Attributes:
        name: its host name.
        version: of Orrery there.
        own: folder there that belongs to this actor alone, for files that are sent.
        shares: its data folder is the server's own.
        load: of the whole host.
        memory: of the cards, or of the host's memory, that the actor was given: what the scarcest has.
        checkpoints: ids of the presets whose files are there.
    """

    name: str
    version: str
    own: Path
    shares: bool
    load: SystemLoad
    memory: DeviceMemory
    checkpoints: tuple[str, ...]


class Ask(Protocol):
    """Calls a method of a `WorkerHost`, wherever that is; raises HostAwayError, HostGoneError, and what it raises."""

    def __call__(self, method: str, *arguments: Any) -> Awaitable[Any]:
        """What it returns."""
        ...


@dataclass(eq=False)
class Host:
    """The actor of one replica.

    Attributes:
        facts: as it said last.
        near: it is on the server's own host.
        latency_ms: of the last call that asked for nothing, there and back.
    """

    ask: Ask
    facts: HostFacts
    near: bool
    latency_ms: float = 0.0

    async def call(self, method: str, *arguments: Any) -> Any:
        """Call it until it answers: every method may be called again after a cut, and does nothing twice.

        Raises:
            HostGoneError: it will not answer any more.
        """
        is_known = False
        while True:
            try:
                return await self.ask(method, *arguments)
            except HostAwayError as error:
                if not is_known:
                    log.warning("host_away", host=self.facts.name, call=method, reason=str(error))
                is_known = True
                await asyncio.sleep(AWAY_S)
