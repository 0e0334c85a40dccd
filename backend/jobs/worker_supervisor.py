"""Keeping one worker: started, started again after a death, laid to sleep and roused; and what is said of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import structlog

from backend.checkpoints.catalogue import first_status
from backend.engine_process import EngineProcess
from backend.jobs.retrying import RESTART_AFTER_S
from backend.jobs.running import never_ready
from backend.messages import CheckpointMoved, LoadCheckpoint, SleepEngine
from studio.checkpoints import Checkpoint
from studio.events import CheckpointStatus
from studio.jobs import Failure

log = structlog.get_logger("orrery.dispatcher")


class WorkerSupervisor:
    """One worker's process and its checkpoint.

    Args:
        device: where its engine computes, as it is told.
        on_change: told when the status changes.

    Attributes:
        status: the checkpoint, as this worker has it.
        num_starts: how often a worker was started.
    """

    def __init__(
        self, process: EngineProcess, checkpoint: Checkpoint, device: str, on_change: Callable[[], None]
    ) -> None:
        self._process = process
        self._checkpoint = checkpoint
        self._device = device
        self._on_change = on_change
        self._num_deaths = 0
        self._sleeps = False
        self._told_to_sleep = False
        self.num_starts = 0
        self.status = first_status(checkpoint)

    @property
    def sleeps(self) -> bool:
        """Whether it was laid to sleep, and not roused since."""
        return self._sleeps

    def start(self) -> None:
        """Start the worker and let it load; nothing where it was laid to sleep, or runs already."""
        if self._sleeps or self._process.pid is not None:
            return
        self.num_starts += 1
        self._process.start()
        self._order()

    def sleep(self) -> None:
        """Off the device until it is roused."""
        self._sleeps = self._told_to_sleep = True
        self.say("asleep")
        self._process.send(SleepEngine())

    def rouse(self) -> None:
        """Load again: from the host's memory where the worker has kept the weights, else from the disk."""
        self._sleeps = False
        self.say("loading")
        if self._process.pid is None:
            self.start()
        else:
            self._order()

    def moved(self, event: CheckpointMoved) -> None:
        """What the worker says of its checkpoint; that it sleeps is old news once it has been roused."""
        if (event.state == "asleep") != self._sleeps:
            return
        if event.state == "ready":
            self._num_deaths, self._told_to_sleep = 0, False
        self.say(event.state, event.detail, event.failure)
        log.info("checkpoint", state=event.state, checkpoint=self._checkpoint.id, detail=event.detail)

    def died(self) -> None:
        """Start it again after a pause that grows with its deaths; one that sleeps has let its memory go."""
        was_told_to_sleep, self._told_to_sleep = self._told_to_sleep, False
        if self._sleeps:
            return
        if was_told_to_sleep:
            # It was on its way out when it was roused, and had not heard of that.
            self.start()
            return
        pause_s = RESTART_AFTER_S[min(self._num_deaths, len(RESTART_AFTER_S) - 1)]
        self._num_deaths += 1
        if self._num_deaths >= len(RESTART_AFTER_S):
            self.say("failed", failure=never_ready(self._num_deaths))
        elif self.status.state != "failed":
            self.say("lost")
        asyncio.get_running_loop().call_later(pause_s, self.start)

    def say(self, state: str, detail: str = "", failure: Failure | None = None) -> None:
        """Another status, and tell of it."""
        self.status = CheckpointStatus.model_validate(
            {**self.status.model_dump(), "state": state, "detail": detail, "error": failure}
        )
        self._on_change()

    def _order(self) -> None:
        folder = self._checkpoint.folder
        assert folder is not None, "a server starts only with a checkpoint that has a folder"
        self._process.send(LoadCheckpoint(folder, self._checkpoint.preset.builds_itself, self._device))
