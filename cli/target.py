"""Which server a command talks to: the one that was named, else the one that holds the data folder, else its own."""

from __future__ import annotations

import asyncio
import ctypes
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from studio.checkpoints import find_checkpoint
from studio.client import StudioClient
from studio.data_folder import DataFolder, find_holder
from studio.errors import ServerUnreachable
from studio.presets import load_presets
from studio.settings import chosen_data_folder

Answer = TypeVar("Answer")

SERVER_COMMAND = (sys.executable, "-P", "-m", "backend")
"""-P: a folder named `backend` where the user happens to stand is not ours."""

ANNOUNCE_TIMEOUT_S = 10.0
"""How long a server that holds the folder may take until it says where it answers."""

START_TIMEOUT_S = 180.0
"""Until a server of our own listens; on a busy machine most of that is imports. One that exits is noticed at once."""

STOP_TIMEOUT_S = 15.0
_POLL_S = 0.05
_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG, linux/prctl.h

_LISTENING = re.compile(rb"^orrery listening on (\S+)\s*$", re.MULTILINE)
_FAILED = re.compile(rb"^orrery: (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Target:
    """What a person said about the server.

    Attributes:
        server: its URL, or none.
        folder: the data folder.
        token: its token, or none.
    """

    server: str | None
    folder: DataFolder
    token: str | None


def read_target(server: str | None, data: Path | None, token: str | None) -> Target:
    """From options to a target. Raises BadInput when the data folder is nobody's."""
    return Target(server, DataFolder(chosen_data_folder(data)), token)


def running_server(target: Target) -> str | None:
    """The URL of the server that was named, or that holds the folder."""
    if target.server:
        return target.server
    holder = find_holder(target.folder, wait_s=ANNOUNCE_TIMEOUT_S)
    return holder.url if holder else None


def local_checkpoint(name: str | None, target: Target) -> str | None:
    """A checkpoint as any process on this machine understands it: a preset's id, or a folder in full.

    A name that is for a server elsewhere is left to that server.

    Raises:
        CheckpointNotFound, NotACheckpoint: see `studio.checkpoints.find_checkpoint`.
    """
    if name is None or target.server is not None:
        return name
    presets = load_presets(target.folder.presets)
    found = find_checkpoint(name, presets, target.folder.checkpoints)
    return found.id if name in presets else str(found.folder)


def ask(target: Target, question: Callable[[StudioClient], Awaitable[Answer]]) -> Answer:
    """What the running server answers. Raises ServerUnreachable when none runs, and what the question raises."""

    async def run() -> Answer:
        async with connected(target) as client:
            return await question(client)

    return asyncio.run(run())


@asynccontextmanager
async def connected(target: Target) -> AsyncGenerator[StudioClient, None]:
    """A client of a server that runs already.

    Raises:
        ServerUnreachable: none does.
    """
    url = running_server(target)
    if url is None:
        raise ServerUnreachable(
            f"No server uses the data folder {target.folder.root}.",
            hint="Start one with orrery serve, or set one with --server.",
        )
    async with StudioClient(url, token=target.token) as client:
        yield client


@asynccontextmanager
async def reached(
    target: Target, checkpoint: str | None = None
) -> AsyncGenerator[tuple[StudioClient, str | None], None]:
    """A client of the server that runs, else of one that runs for the duration, and the checkpoint to name to it.

    A server that is started with the checkpoint needs no telling: it is named None.

    Raises:
        CheckpointNotFound, NotACheckpoint: as `local_checkpoint`.
        ServerUnreachable: no server runs, and none could be started.
    """
    checkpoint = local_checkpoint(checkpoint, target)
    url = running_server(target)
    if url is not None:
        async with StudioClient(url, token=target.token) as client:
            yield client, checkpoint
        return
    said = {
        "host": "127.0.0.1",
        "port": 0,
        "data": target.folder.root,
        "token": target.token,
        "checkpoint": checkpoint,
    }
    async with (
        own_server(server_environment(os.environ, said)) as url,
        StudioClient(url, token=target.token) as client,
    ):
        yield client, None


def server_environment(environment: Mapping[str, str], said: Mapping[str, str | float | Path | None]) -> dict[str, str]:
    """An environment for the server: what was said as ORRERY_ variables over what is there.

    `{"port": 0}` becomes `ORRERY_PORT=0`.
    """
    flags = {f"ORRERY_{name.upper()}": str(value) for name, value in said.items() if value is not None}
    return {**environment, **flags}


@asynccontextmanager
async def own_server(environment: Mapping[str, str]) -> AsyncGenerator[str, None]:
    """The URL of a server that runs while the block does, and ends with this process, however that ends.

    Raises:
        ServerUnreachable: it ended, or did not answer in time; the message is its own.
    """
    libc = ctypes.CDLL(None)
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            SERVER_COMMAND,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl+C is for us: we cancel the job first, then stop the server
            preexec_fn=lambda: libc.prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGTERM),
        )
        try:
            yield await _address(process, log.fileno())
        finally:
            _stop(process)


async def _address(process: subprocess.Popen[bytes], log: int) -> str:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        code = process.poll()
        # pread: the child writes at the same file offset, which must stay where it is.
        written = os.pread(log, os.fstat(log).st_size, 0)
        if found := _LISTENING.search(written):
            return found[1].decode()
        if code is not None:
            said = _FAILED.findall(written)
            reason = said[-1].decode("utf-8", "replace") if said else f"It ended with exit code {code}."
            raise ServerUnreachable(f"The server did not start. {reason}")
        await asyncio.sleep(_POLL_S)
    raise ServerUnreachable(
        f"The server did not start within {START_TIMEOUT_S:g} s.", hint="Start it separately with orrery serve."
    )


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
