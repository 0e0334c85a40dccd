"""One worker on another host, as the server's `EngineProcess` has one on its own."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import cast

import structlog

from backend import vital
from backend.checkpoints.adapters import AdapterFolder
from backend.cluster.checkpoints_there import LoadThere, there
from backend.cluster.host import Host, HostGoneError
from backend.cluster.seat import Seat
from backend.cluster.transfer import bring, send
from backend.cluster.worker_host import Ended
from backend.media import MediaStore
from backend.messages import (
    CheckpointMoved,
    Command,
    ConversationEnded,
    Converse,
    JobFailed,
    JobFinished,
    LoadCheckpoint,
    Report,
    RunJob,
)
from studio.data_folder import DataFolder
from studio.errors import StudioError
from studio.jobs import Failure
from studio.requests import Adapter, media_of

log = structlog.get_logger("orrery.cluster")

_NUMBERS = itertools.count(1)


class RemoteLink:
    """A worker that its seat's host has started, or will.

    Args:
        data: the server's folder, from which files are sent and into which results are brought.
        checkpoint: id of the one that the worker serves.
        arguments, on_report, on_end: as `Link` has them.
    """

    def __init__(
        self,
        seat: Seat,
        data: DataFolder,
        checkpoint: str,
        arguments: Sequence[str],
        on_report: Callable[[Report], None],
        on_end: Callable[[int | None], None],
    ) -> None:
        self._seat = seat
        self._data = data
        self._store = MediaStore(data.media)
        self._adapters = AdapterFolder(data.adapters)
        self._checkpoint = checkpoint
        self._arguments = tuple(arguments)
        self._on_report = on_report
        self._on_end = on_end
        self._name = f"{os.getpid()}-{next(_NUMBERS)}"
        self._commands: asyncio.Queue[Command] = asyncio.Queue()
        self._host: Host | None = None
        self._pid = 0
        self._killing: asyncio.Task[None] | None = None
        self._task = vital.keep(asyncio.create_task(self._live()), f"worker {self._name}")

    @property
    def pid(self) -> int:
        """Process id on its host; 0 until that has started it."""
        return self._pid

    def send(self, command: Command) -> None:
        """Tell the worker, once it has been started and what the command names has arrived there."""
        self._commands.put_nowait(command)

    def kill(self) -> None:
        """End it, or cease to wait for a host; `on_end` follows."""
        if self._host is None:
            self._task.cancel()
        elif self._killing is None:
            self._killing = asyncio.create_task(self._kill(self._host))

    async def _live(self) -> None:
        exit_code: int | None = None
        try:
            if self._seat.now is None:
                self._on_report(CheckpointMoved("waiting", detail=self._seat.waits_for))
            host = await self._seat.host()
            self._host = host
            exit_code = await self._serve(host)
        finally:
            self._on_end(exit_code)

    async def _serve(self, host: Host) -> int | None:
        """Start it and pass on what is said, until its end."""
        try:
            self._pid = cast("int", await host.call("start", self._name, self._arguments))
            writing = vital.keep(asyncio.create_task(self._write(host)), f"commands of worker {self._name}")
            try:
                return await self._read(host)
            finally:
                writing.cancel()
        except HostGoneError as error:
            log.warning("worker_host_gone", replica=self._seat.number, host=host.facts.name, reason=str(error))
            self._seat.lost(host)
        except OSError as error:
            log.error("worker_not_started", host=host.facts.name, reason=str(error))
            await self._kill(host)
        return None

    async def _read(self, host: Host) -> int | None:
        heard = 0
        while True:
            news = cast("list[tuple[int, Report | Ended]]", await host.call("hear", self._name, heard))
            for number, message in news:
                if isinstance(message, Ended):
                    return message.exit_code
                self._on_report(await self._brought(host, message))
                heard = number

    async def _brought(self, host: Host, message: Report) -> Report:
        """The message, once the files that it speaks of are here."""
        if not isinstance(message, JobFinished) or host.facts.shares:
            return message
        try:
            num_bytes = await bring(host, message.job_id, message.results, self._data.root)
        except StudioError as error:
            self._store.remove_results(message.job_id)
            return JobFailed(message.job_id, Failure.of(error))
        log.info("results_brought", job_id=message.job_id, host=host.facts.name, num_bytes=num_bytes)
        return message

    async def _write(self, host: Host) -> None:
        with suppress(HostGoneError):  # who reads finds the same
            await self._tell_all(host)

    async def _tell_all(self, host: Host) -> None:
        number = 0
        while True:
            command = await self._commands.get()
            try:
                prepared = await self._prepared(host, command)
            except StudioError as error:
                if (refused := _refused(command, Failure.of(error))) is not None:
                    self._on_report(refused)
            else:
                number += 1
                await host.call("tell", self._name, number, prepared)

    async def _prepared(self, host: Host, command: Command) -> Command | LoadThere:
        """The command as that host understands it; what it names is there. Raises as `send`, and BadInput."""
        match command:
            case LoadCheckpoint():
                return await asyncio.to_thread(there, self._checkpoint, command)
            case RunJob(request=request) if not host.facts.shares:
                paths = [path for named in media_of(request) for path in self._store.every_file(named.id)]
                await send(host, {**self._named(paths), **self._named(self._adapter(request.adapter))})
            case Converse(request=request, files=files):
                own = {name: path for name, path in files.items() if not self._is_shared(host, path)}
                sent = {f"shown/{self._name}/{_safe(name)}{path.suffix}": path for name, path in own.items()}
                adapter = () if host.facts.shares else self._adapter(request.adapter)
                await send(host, {**sent, **self._named(adapter)})
                places = {name: host.facts.own / place for place, name in zip(sent, own, strict=True)}
                return replace(command, files={**files, **places})
            case _:
                pass
        return command

    def _is_shared(self, host: Host, path: Path) -> bool:
        return host.facts.shares and path.is_relative_to(self._data.root)

    def _adapter(self, adapter: Adapter | None) -> Sequence[Path]:
        if adapter is None:
            return ()
        path = self._adapters.path(adapter.name)
        return [found for found in path.rglob("*") if found.is_file()] if path.is_dir() else [path]

    def _named(self, paths: Sequence[Path]) -> dict[str, Path]:
        """Files of the data folder by their names below it, which they have on the host too."""
        return {str(path.relative_to(self._data.root)): path for path in paths}

    async def _kill(self, host: Host) -> None:
        with suppress(HostGoneError):  # and every worker with it
            await host.call("kill", self._name)


def _safe(name: str) -> str:
    """A file name for a medium that a client may have named by its address."""
    return hashlib.sha256(name.encode()).hexdigest()[:16]


def _refused(command: Command, failure: Failure) -> Report | None:
    """What is said of a command that could not be passed on."""
    match command:
        case LoadCheckpoint():
            return CheckpointMoved("failed", failure=failure)
        case RunJob(job_id=job_id):
            return JobFailed(job_id, failure)
        case Converse(conversation_id=name):
            return ConversationEnded(name, failure=failure)
        case _:
            return None
