"""One worker process and the pipe to it: a thread reads, a thread writes, and the event loop never waits."""

from __future__ import annotations

import asyncio
import os
import pickle
import queue
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Any

from backend.messages import Command, Report

UNREADABLE = (pickle.UnpicklingError, AttributeError, ImportError, IndexError)
"""What the pickle module raises for bytes that are no message."""


PATIENCE = {"GOMP_SPINCOUNT": "1000"}
"""How often a thread of GNU OpenMP looks whether the others have come before it sleeps; read as libgomp is loaded.

By itself it looks 300,000 times (libgomp's manual): on cores that other programs use too it takes the time of those it
waits for. Where the environment says something else, that counts. What it brings is in docs/performance.md.
"""


class Link:
    """A worker that was started.

    Args:
        arguments: of `python -m backend.worker`, beside the pipe's and the parent's.
        on_report: called on the event loop's thread, in order, with everything the worker says.
        on_end: called there at last, with the exit code.

    Raises:
        OSError: no process could be started.
    """

    def __init__(
        self, arguments: Sequence[str], on_report: Callable[[Report], None], on_end: Callable[[int], None]
    ) -> None:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            # -P: the folder that the server was started in is nobody's source of modules.
            command = [sys.executable, "-P", "-m", "backend.worker"]
            options = [f"--pipe={theirs.fileno()}", f"--parent={os.getpid()}", *arguments]
            self._process = subprocess.Popen(
                [*command, *options],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=sys.stderr,
                env=PATIENCE | os.environ,
            )
            self._pipe = Connection(ours.detach())
        self._on_report = on_report
        self._on_end = on_end
        self._commands: queue.SimpleQueue[Command | None] = queue.SimpleQueue()
        self._loop = asyncio.get_running_loop()
        self._threads = [
            threading.Thread(target=run, name=f"worker-{run.__name__}", daemon=True)
            for run in (self._read, self._write)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    def send(self, command: Command) -> None:
        """Tell the worker, as soon as it listens; one that has died is reported by the reader, not here."""
        self._commands.put(command)

    def kill(self) -> None:
        """End the process; `on_end` follows. Nothing is lost: what it writes is whole or swept at the next start."""
        self._process.kill()

    def _write(self) -> None:
        while (command := self._commands.get()) is not None:
            try:
                self._pipe.send(command)
            except OSError:
                return

    def _read(self) -> None:
        try:
            while True:
                self._say(self._on_report, self._pipe.recv())
        except (EOFError, OSError):
            pass
        except UNREADABLE:
            self._process.kill()
        exit_code = self._process.wait()
        self._commands.put(None)
        self._say(self._on_end, exit_code)

    def _say(self, listener: Callable[[Any], None], message: object) -> None:
        try:
            self._loop.call_soon_threadsafe(listener, message)
        except RuntimeError:  # the event loop is gone, and the server with it
            return
