"""Hosts of a cluster without Ray: the actor's body in this process, and a network that may be cut."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from backend.cluster import host as host_module
from backend.cluster.host import Host, HostAwayError, HostGoneError
from backend.cluster.worker_host import Told, WorkerHost


class LocalHosts:
    """One host that has room for every replica.

    Attributes:
        cut: calls do not get through.
        deaf: methods whose calls get through and whose answers do not.
        room: a replica that asks for a host gets one.
        dies: the present actor is killed.
        body: the actor that was started last.
    """

    on_gpu = False

    def __init__(self, data: Path) -> None:
        self._data = data
        self.cut = False
        self.deaf: set[str] = set()
        self.room = asyncio.Event()
        self.room.set()
        self.dies = asyncio.Event()
        self.calls: list[str] = []
        self.body: WorkerHost | None = None
        self.num_placed = 0

    @asynccontextmanager
    async def place(self, replica: int, told: Told) -> AsyncGenerator[Host]:
        await self.room.wait()
        os.environ["ORRERY_DATA"] = str(self._data)
        body = self.body = WorkerHost(told)
        del os.environ["ORRERY_DATA"]
        self.dies = dies = asyncio.Event()
        self.num_placed += 1

        async def ask(method: str, *arguments: Any) -> Any:
            if dies.is_set():
                raise HostGoneError("it was killed")
            if self.cut:
                raise HostAwayError
            self.calls.append(method)
            answering = asyncio.ensure_future(getattr(body, method)(*arguments))
            ending = asyncio.ensure_future(dies.wait())
            await asyncio.wait((answering, ending), return_when=asyncio.FIRST_COMPLETED)
            ending.cancel()
            if dies.is_set():
                answering.cancel()
                raise HostGoneError("it was killed")
            if method in self.deaf or self.cut:
                raise HostAwayError
            return answering.result()

        yield Host(ask, await body.facts(), near=False)

    def close(self) -> None:
        """There is nothing to leave."""

    def die(self) -> None:
        """The host is gone, and its workers with it."""
        self.dies.set()
        assert self.body is not None
        for worker in self.body._workers.values():
            assert worker.link is not None
            worker.link.kill()


host_module.AWAY_S = 0.02
