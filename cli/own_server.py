"""A server for the duration of one command, which ends with it, however it ends."""

from __future__ import annotations

import asyncio
import ctypes
import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

from cli.serve import SERVER_COMMAND
from studio.errors import ServerUnreachable

START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 15.0
_POLL_S = 0.05
_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG, linux/prctl.h

_LISTENING = re.compile(rb"^orrery listening on (\S+)\s*$", re.MULTILINE)
_FAILED = re.compile(rb"^orrery: (.+)$", re.MULTILINE)


@asynccontextmanager
async def own_server(environment: Mapping[str, str]) -> AsyncGenerator[str, None]:
    """The URL of a server that runs while the block does.

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
            reason = said[-1].decode("utf-8", "replace") if said else f"It left with exit code {code}."
            raise ServerUnreachable(f"The server did not start. {reason}")
        await asyncio.sleep(_POLL_S)
    raise ServerUnreachable(
        f"The server did not start within {START_TIMEOUT_S:g} s.", hint="Start it by itself with orrery serve."
    )


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
