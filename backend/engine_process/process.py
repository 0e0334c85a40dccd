"""Starting the worker, talking to it, and noticing its end."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from backend.messages import Command, Report

STOP_PATIENCE_S = 2.0


@dataclass(frozen=True)
class WorkerLost:
    """The worker's process ended by itself; `exit_code` is negative for a signal."""

    exit_code: int | None


class EngineProcess:
    """One worker process.

    `deliver` is called on the event loop's thread, in order, with everything the worker says and at last with
    `WorkerLost`, unless the server ended it itself.
    """

    def __init__(self, media: Path, checkpoint: str, deliver: Callable[[Report | WorkerLost], None]) -> None:
        self._media = media
        self._checkpoint = checkpoint
        self._deliver = deliver
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: Connection | None = None

    @property
    def pid(self) -> int | None:
        """Process id, while there is one."""
        return self._process.pid if self._process else None

    def start(self) -> None:
        """Start the worker.

        Called on the main thread: the kernel's parent-death signal follows the thread that started the child.
        """
        assert threading.current_thread() is threading.main_thread()
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "backend.worker",
                    f"--pipe={theirs.fileno()}",
                    f"--parent={os.getpid()}",
                    f"--media={self._media}",
                    f"--checkpoint={self._checkpoint}",
                ],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=sys.stderr,
            )
        self._pipe = Connection(ours.detach())
        loop = asyncio.get_running_loop()
        threading.Thread(
            target=self._read, args=(self._process, self._pipe, loop), name="worker-reader", daemon=True
        ).start()

    def send(self, command: Command) -> None:
        """Tell the worker; a worker that has just died is reported by the reader, not here."""
        assert self._pipe is not None
        try:
            self._pipe.send(command)
        except OSError:
            return

    def kill(self) -> None:
        """End a worker that does not answer; `WorkerLost` follows."""
        if self._process is not None:
            self._process.kill()

    def stop(self) -> None:
        """End the worker with its server: close the pipe, wait a moment, then insist."""
        process, self._process = self._process, None
        if process is None or self._pipe is None:
            return
        process.terminate()
        try:
            process.wait(STOP_PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _read(self, process: subprocess.Popen[bytes], pipe: Connection, loop: asyncio.AbstractEventLoop) -> None:
        try:
            while True:
                loop.call_soon_threadsafe(self._deliver, pipe.recv())
        except (EOFError, OSError):
            exit_code = process.wait()
        except RuntimeError:  # the event loop is gone: so is the server
            return
        pipe.close()
        if self._process is process and not loop.is_closed():
            loop.call_soon_threadsafe(self._deliver, WorkerLost(exit_code))
