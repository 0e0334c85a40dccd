"""The engines of one checkpoint: a dispatcher for each replica of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from backend import vital
from backend.jobs.dispatcher import Dispatcher
from backend.jobs.preparations import Preparations
from studio.checkpoints import Checkpoint
from studio.errors import Busy
from studio.events import CheckpointStatus


@dataclass
class EngineGroup:
    """The engines of a checkpoint that is loaded, or on its way.

    Attributes:
        dispatchers: its engines, one or more replicas.
        tasks: what runs each of them.
        needed_gb: memory that it was reckoned to take.
        leaving: it takes no more work, and goes as soon as it is idle.
        tired: then it sleeps, and is not given up.
        holders: the engine of each conversation and policy session that is open now.
        used_at: when it was last of use, on the monotonic clock.
    """

    checkpoint: Checkpoint
    dispatchers: list[Dispatcher]
    needed_gb: float
    tasks: list[asyncio.Task[None]] = field(default_factory=list["asyncio.Task[None]"])
    leaving: bool = False
    tired: bool = False
    holders: list[Dispatcher] = field(default_factory=list[Dispatcher])
    used_at: float = field(default_factory=time.monotonic)

    @property
    def status(self) -> CheckpointStatus:
        """Its best engine's word; one that is ready speaks for all."""
        best = min((dispatcher.status for dispatcher in self.dispatchers), key=lambda status: status.state != "ready")
        return best.model_copy(update={"state": "leaving"}) if self.leaving else best

    @property
    def idle(self) -> bool:
        """Whether nobody needs it this moment."""
        return not self.holders and all(dispatcher.idle for dispatcher in self.dispatchers)

    @property
    def settled(self) -> bool:
        """Whether none of its engines is still loading: only then is the device's free memory what it seems."""
        return all(dispatcher.status.state not in ("preparing", "loading") for dispatcher in self.dispatchers)

    def stay(self) -> None:
        """Neither leave nor sleep; where the checkpoint could not be loaded, it is tried again."""
        self.leaving = self.tired = False
        for dispatcher in self.dispatchers:
            if dispatcher.status.state == "failed":
                dispatcher.rouse()

    def start(self, preparations: Preparations) -> None:
        """Let its engines load and take jobs."""
        self.tasks = [
            vital.keep(asyncio.create_task(dispatcher.run(preparations)), f"dispatcher of {self.checkpoint.id}")
            for dispatcher in self.dispatchers
        ]

    async def end(self) -> None:
        """End its engines; running jobs go back first in line, and it is nobody's fault."""
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        for dispatcher in self.dispatchers:
            await dispatcher.close()

    @contextmanager
    def hold(self) -> Generator[Dispatcher]:
        """The ready engine with the fewest conversations; the group does not leave before the block does.

        Raises:
            StudioError: why it could not be loaded.
            Busy: none of its engines is ready.
        """
        status = self.status
        if status.error is not None:
            raise status.error.error()
        ready = [one for one in self.dispatchers if one.status.state == "ready" and one.worker_pid is not None]
        if not ready:
            raise not_ready(status)
        engine = min(ready, key=self.holders.count)
        self.holders.append(engine)
        try:
            yield engine
        finally:
            self.holders.remove(engine)
            self.used_at = time.monotonic()


def not_ready(status: CheckpointStatus) -> Busy:
    """What to raise for a checkpoint that is on its way."""
    return Busy(f"{status.title} is not ready yet ({status.state}).", hint="Ask again when /readyz says so.")
