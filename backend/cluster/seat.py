"""Where the server finds the actor of one replica: now, or as soon as the cluster has room for it again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress

import structlog

from backend.cluster.host import Host, HostGoneError
from backend.version import VERSION

log = structlog.get_logger("orrery.cluster")

LOOK_EVERY_S = 2.0
"""How often a host says how it is, and is noticed to be gone."""

PLACE_AGAIN_S = 2.0
"""Pause after a host was lost; Ray places the next one as soon as it has the resources."""

REFUSED_AGAIN_S = 30.0
"""Pause after a host was refused: most likely Ray finds the same one, until a person has brought it up to date."""


class Seat:
    """One replica's place in the cluster.

    Args:
        number: of the replica, from 0.
        needs: what it asks the cluster for, for people.
        place: finds room, starts the actor, and removes both at the end of the block.

    Attributes:
        waits_for: why it has no host, for people; empty while it has one.
    """

    def __init__(self, number: int, needs: str, place: Callable[[], AbstractAsyncContextManager[Host]]) -> None:
        self.number = number
        self._needs = needs
        self._place = place
        self._host: Host | None = None
        self._found = asyncio.Event()
        self._gone = asyncio.Event()
        self.waits_for = needs

    @property
    def now(self) -> Host | None:
        """Its host, if it has one."""
        return self._host

    async def host(self) -> Host:
        """Its host, as soon as it has one."""
        while self._host is None:
            await self._found.wait()
        return self._host

    def lost(self, host: Host) -> None:
        """A call has found it gone."""
        if self._host is host:
            self._host = None
            self.waits_for = self._needs
            self._found.clear()
            self._gone.set()

    async def run(self) -> None:
        """Have a host, and the next one when that is lost, until cancelled."""
        while True:
            pause_s = PLACE_AGAIN_S
            try:
                async with self._place() as host:
                    if host.facts.version == VERSION:
                        await self._keep(host)
                    else:
                        self._refuse(host)
                        pause_s = REFUSED_AGAIN_S
            except (HostGoneError, OSError) as error:
                self.waits_for = f"{self._needs} ({error})"
                log.warning("host_lost", replica=self.number, reason=str(error))
            await asyncio.sleep(pause_s)

    def _refuse(self, host: Host) -> None:
        """One of another version is not offered: its messages may differ."""
        self.waits_for = f"a host with Orrery {VERSION}; {host.facts.name} has {host.facts.version}"
        log.error("host_refused", replica=self.number, reason=self.waits_for)

    async def _keep(self, host: Host) -> None:
        """Offer a host until it is lost."""
        self._host, self.waits_for = host, ""
        self._gone.clear()
        self._found.set()
        log.info("host_found", replica=self.number, host=host.facts.name, shares_media=host.facts.shares)
        try:
            while self._host is host:
                began = time.monotonic()
                await host.call("ping")
                host.latency_ms = round(1000 * (time.monotonic() - began), 1)
                host.facts = await host.call("facts")
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._gone.wait(), LOOK_EVERY_S)
        finally:
            self.lost(host)
