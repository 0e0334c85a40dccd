"""The actor: it starts workers on its host, as the server does on its own, and passes on what both say.

The worker is its child: the kernel ends it with the actor, and Ray ends the actor with its server.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from backend.cluster.checkpoints_there import LoadThere, find_here, installed
from backend.cluster.host import HostFacts
from backend.cluster.host_files import FileFacts, HostFiles
from backend.cluster.own_folder import data_folder_here, own_folder
from backend.engine_process import Link
from backend.fleet.memory import memory_here
from backend.machine import look
from backend.messages import CheckpointMoved, Command, Report
from backend.version import VERSION
from studio.data_folder import DataFolder
from studio.errors import StudioError
from studio.jobs import Failure
from studio.presets import load_presets

HEAR_S = 10.0
"""How long a call waits for news; a caller that has gone leaves none behind for longer."""


@dataclass(frozen=True)
class Ended:
    """A worker's last word, which the host says for it."""

    exit_code: int | None


@dataclass(eq=False)
class HostedWorker:
    """A worker of this host.

    Attributes:
        link: none of one that was killed before it was started.
        num_orders: commands that it was told.
        news: what it has said since the server heard it last, numbered from 1.
        num_said: how much it has said in all.
    """

    link: Link | None = None
    num_orders: int = 0
    telling: asyncio.Lock = field(default_factory=asyncio.Lock)
    news: deque[tuple[int, Report | Ended]] = field(default_factory=deque["tuple[int, Report | Ended]"])
    num_said: int = 0
    said: asyncio.Event = field(default_factory=asyncio.Event)

    def say(self, message: Report | Ended) -> None:
        """Keep it until the server has heard it."""
        self.num_said += 1
        self.news.append((self.num_said, message))
        self.said.set()

    def forget(self, until: int) -> None:
        """The server has heard these."""
        while self.news and self.news[0][0] <= until:
            self.news.popleft()
        if not self.news:
            self.said.clear()


@dataclass(frozen=True)
class Told:
    """What the server tells an actor at its start.

    Attributes:
        root: the server's data folder.
        probe: name of a file in its media folder: where a host sees it, the folder is shared.
        device: where engines compute.
        num_cpus: processors that the actor was given.
    """

    root: Path
    probe: str
    device: str
    num_cpus: int


class WorkerHost:
    """The workers of one replica, one for each checkpoint that is loaded there.

    Commands and reports are numbered, and a worker has a name that the server gave it: a call that is made again after
    a cut does nothing twice.
    """

    def __init__(self, told: Told) -> None:
        if os.environ.get("OMP_NUM_THREADS") == str(told.num_cpus):
            # Ray's own doing; the engine decides by itself, as it does on the server's host.
            del os.environ["OMP_NUM_THREADS"]
        os.environ.setdefault("HF_HUB_OFFLINE", "1")  # as the server has it
        self._told = told
        self._data = DataFolder(data_folder_here(os.environ, told.root, f"media/{told.probe}"))
        self._shares = (self._data.media / told.probe).is_file()
        self._presets = load_presets(self._data.presets)
        self._own = own_folder(self._data.root)
        self._files = HostFiles(self._own)
        self._workers: dict[str, HostedWorker] = {}

    async def ping(self) -> None:
        """Nothing; for how long it takes."""

    async def facts(self) -> HostFacts:
        """What there is to know of this host now."""
        load = await asyncio.to_thread(look)
        memory = await asyncio.to_thread(memory_here, self._told.device)
        checkpoints = await asyncio.to_thread(installed, self._presets, self._data)
        return HostFacts(socket.gethostname(), VERSION, self._own, self._shares, load, memory, checkpoints)

    async def start(self, name: str, arguments: Sequence[str]) -> int:
        """Start a worker.

        Args:
            name: the server's, for all further calls.
            arguments: as on the server's host; which folders are used is decided here.

        Returns:
            Its process id; 0 of one that was killed before.

        Raises:
            OSError: no process could be started.
        """
        if name not in self._workers:
            root = self._data.root if self._shares else self._own
            (root / "media").mkdir(parents=True, exist_ok=True)
            folders = (f"--media={root / 'media'}", f"--adapters={root / 'adapters'}")  # argparse takes the last
            worker = HostedWorker()
            worker.link = Link((*arguments, *folders), worker.say, lambda code: worker.say(Ended(code)))
            self._workers[name] = worker
        link = self._workers[name].link
        return link.pid if link is not None else 0

    async def tell(self, name: str, number: int, command: Command | LoadThere) -> None:
        """Pass on a command, the first of them with number 1; one that was passed on before is left."""
        worker = self._workers[name]
        async with worker.telling:
            if number <= worker.num_orders:
                return
            worker.num_orders = number
            if worker.link is None:
                return
            if not isinstance(command, LoadThere):
                worker.link.send(command)
                return
            try:
                order = await asyncio.to_thread(find_here, command, self._data, socket.gethostname(), self._told.device)
            except StudioError as error:
                worker.say(CheckpointMoved("failed", failure=Failure.of(error)))
            else:
                worker.link.send(order)

    async def hear(self, name: str, after: int) -> list[tuple[int, Report | Ended]]:
        """What a worker has said after the report of this number; empty if it is silent for `HEAR_S`."""
        worker = self._workers[name]
        worker.forget(after)
        with suppress(TimeoutError):
            await asyncio.wait_for(worker.said.wait(), HEAR_S)
        return list(worker.news)

    async def kill(self, name: str) -> None:
        """End a worker; it says so. One that was not started yet never will be."""
        if name not in self._workers:
            self._workers[name] = HostedWorker()
            self._workers[name].say(Ended(None))
        elif (link := self._workers[name].link) is not None:
            link.kill()

    async def missing(self, files: Mapping[str, str]) -> list[str]:
        """See `HostFiles.missing`; the following ones likewise."""
        return await asyncio.to_thread(self._files.missing, files)

    async def write(self, name: str, offset: int, piece: bytes) -> None:
        """A piece of a file that is sent."""
        await asyncio.to_thread(self._files.write, name, offset, piece)

    async def seal(self, name: str, sha256: str) -> None:
        """It is whole."""
        await asyncio.to_thread(self._files.seal, name, sha256)

    async def made(self, ids: Sequence[str]) -> list[FileFacts]:
        """What is to be brought."""
        return await asyncio.to_thread(self._files.made, ids)

    async def read(self, name: str, offset: int) -> bytes:
        """A piece of a file that is brought."""
        return await asyncio.to_thread(self._files.read, name, offset)

    async def erase(self, job_id: str) -> None:
        """It was brought."""
        await asyncio.to_thread(self._files.erase, job_id)
