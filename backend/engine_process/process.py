"""The worker as the dispatcher sees it: something to start, to tell, and to hear from until it is lost."""

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
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Protocol, Self

import structlog

from backend.messages import Command, Report
from studio.presets import Precision
from studio.settings import ServerSettings

log = structlog.get_logger("orrery.engine_process")

UNREADABLE = (pickle.UnpicklingError, AttributeError, ImportError, IndexError)
"""What the pickle module raises for bytes that are no message."""

PATIENCE = {"GOMP_SPINCOUNT": "1000"}
"""How often a thread of GNU OpenMP looks whether the others have come before it sleeps; read as libgomp is loaded.

By itself it looks 300,000 times (libgomp's manual): on cores that other programs use too it takes the time of those it
waits for. Where the environment says something else, that counts. What it brings is in docs/performance.md.
"""


@dataclass(frozen=True)
class WorkerLost:
    """The worker's process ended by itself; the code is negative for a signal, and none if it never started or its
    host is gone."""

    exit_code: int | None


@dataclass(frozen=True)
class Spreading:
    """How wide the engine spreads.

    Attributes:
        gpus: GPUs that share the steps of a clip; on a CPU processes.
        policy_gpus: those that share the steps of a policy.
        offload: the weights stay on the host.
        shard_weights: each GPU has a part of them.
        precision: of the generator, see `Engine.load`.
    """

    gpus: int = 1
    policy_gpus: int = 1
    offload: bool = False
    shard_weights: bool = False
    precision: Precision = "exact"

    @classmethod
    def of(cls, settings: ServerSettings) -> Self:
        """As a server was told."""
        return cls(
            gpus=settings.gpus,
            policy_gpus=settings.policy_gpus,
            offload=settings.offload,
            shard_weights=settings.shard_weights,
            precision=settings.precision,
        )

    def at(self, precision: Precision | None) -> Self:
        """The same in the precision that a checkpoint's preset says, if it says one."""
        return self if precision is None else replace(self, precision=precision)

    def arguments(self) -> tuple[str, ...]:
        """Of `python -m backend.worker`."""
        weights = ("--offload",) if self.offload else ("--shard-weights",) if self.shard_weights else ()
        wide = (f"--gpus={self.gpus}", f"--policy-gpus={self.policy_gpus}")
        return (*wide, f"--precision={self.precision}", *weights)


ALONE = Spreading()


class WorkerLink(Protocol):
    """A worker that was started, wherever it runs."""

    @property
    def pid(self) -> int:
        """Process id on its host; 0 until a host has started it."""
        ...

    def send(self, command: Command) -> None:
        """Tell the worker, as soon as it listens."""

    def kill(self) -> None:
        """End it; what was given as `on_end` is called."""


Connect = Callable[[Sequence[str], Callable[[Report], None], Callable[[int | None], None]], WorkerLink]
"""Starts a worker, as `Link` does."""


class EngineProcess:
    """One worker process at a time.

    `deliver` is called on the event loop's thread, in order, with everything the worker says and at last with
    `WorkerLost`, unless the server ended it itself.

    Args:
        connect: starts the worker: on this host, or through Ray on another one.
    """

    def __init__(
        self,
        media: Path,
        adapters: Path,
        checkpoint: str,
        deliver: Callable[[Report | WorkerLost], None],
        *,
        spreading: Spreading = ALONE,
        guardrail_url: str | None = None,
        connect: Connect | None = None,
    ) -> None:
        folders = (f"--media={media}", f"--adapters={adapters}", f"--checkpoint={checkpoint}")
        guardrail = () if guardrail_url is None else (f"--guardrail-url={guardrail_url}",)
        self._arguments = (*folders, *spreading.arguments(), *guardrail)
        self._deliver = deliver
        self._connect: Connect = connect or Link
        self._link: WorkerLink | None = None
        self._stopped = False

    @property
    def pid(self) -> int | None:
        """Process id, while there is one."""
        return self._link.pid if self._link else None

    def start(self) -> None:
        """Start the worker; what keeps it from starting is a loss like any other.

        Called on the main thread: the kernel's parent-death signal follows the thread that started the child.
        """
        assert threading.current_thread() is threading.main_thread()
        assert self._link is None
        if self._stopped:
            return
        try:
            self._link = self._connect(self._arguments, self._deliver, self._ended)
        except OSError as error:
            log.error("worker_not_started", reason=str(error))
            asyncio.get_running_loop().call_soon(self._deliver, WorkerLost(None))

    def send(self, command: Command) -> None:
        """Tell the worker; without one, nobody is told."""
        if self._link is not None:
            self._link.send(command)

    def kill(self) -> None:
        """End a worker that does not answer; `WorkerLost` follows."""
        if self._link is not None:
            self._link.kill()

    def stop(self) -> None:
        """End the worker with its server; nothing follows."""
        self._stopped = True
        self.kill()

    def _ended(self, exit_code: int | None) -> None:
        self._link = None
        if not self._stopped:
            self._deliver(WorkerLost(exit_code))


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
        self, arguments: Sequence[str], on_report: Callable[[Report], None], on_end: Callable[[int | None], None]
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
                start_new_session=True,  # a place of its own among those that want a core: see backend.worker.priority
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
