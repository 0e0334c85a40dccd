"""The worker as the dispatcher sees it: something to start, to tell, and to hear from until it is lost."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import structlog

from backend.engine_process.link import Link
from backend.engine_process.spreading import ALONE, Spreading
from backend.messages import Command, Report

log = structlog.get_logger("orrery.engine_process")


@dataclass(frozen=True)
class WorkerLost:
    """The worker's process ended by itself; the code is negative for a signal, and none if it never started."""

    exit_code: int | None


class EngineProcess:
    """One worker process at a time.

    `deliver` is called on the event loop's thread, in order, with everything the worker says and at last with
    `WorkerLost`, unless the server ended it itself.
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
    ) -> None:
        folders = (f"--media={media}", f"--adapters={adapters}", f"--checkpoint={checkpoint}")
        guardrail = () if guardrail_url is None else (f"--guardrail-url={guardrail_url}",)
        self._arguments = (*folders, *spreading.arguments(), *guardrail)
        self._deliver = deliver
        self._link: Link | None = None
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
            self._link = Link(self._arguments, self._deliver, self._ended)
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

    def _ended(self, exit_code: int) -> None:
        self._link = None
        if not self._stopped:
            self._deliver(WorkerLost(exit_code))
