"""Who is where: checkpoints in engines, checkpoints that sleep, and those that could not be loaded."""

from __future__ import annotations

import asyncio

import structlog

from backend.checkpoints.catalogue import CheckpointCatalogue
from backend.fleet.engine_group import EngineGroup, not_ready
from backend.fleet.rotation import Rotation
from backend.jobs.dispatcher import Dispatcher
from studio.errors import Conflict
from studio.events import CheckpointStatus

log = structlog.get_logger("orrery.fleet")


LOOK_EVERY_S = 0.05
"""How often somebody who waits for a checkpoint looks at it; a wake takes seconds."""


class Roster:
    """Groups of engines by the id of their checkpoint.

    Attributes:
        groups: on the device, or on their way there.
        sleeping: off the device, and back sooner than one that was given up; every one of them is idle.
        failed: what is said of those that could not be loaded.
    """

    def __init__(self, shelf: CheckpointCatalogue, rotation: Rotation) -> None:
        self._shelf = shelf
        self._rotation = rotation
        self.groups: dict[str, EngineGroup] = {}
        self.sleeping: dict[str, EngineGroup] = {}
        self.failed: dict[str, CheckpointStatus] = {}

    @property
    def everyone(self) -> tuple[EngineGroup, ...]:
        """Every group that has engines, asleep or not."""
        return (*self.groups.values(), *self.sleeping.values())

    @property
    def dispatchers(self) -> list[Dispatcher]:
        """Every engine that does not sleep."""
        return [dispatcher for group in self.groups.values() for dispatcher in group.dispatchers]

    @property
    def statuses(self) -> dict[str, CheckpointStatus]:
        """Every checkpoint that is loaded, on its way, asleep, or could not be loaded."""
        names = (*self.groups, *self.sleeping, *self.failed, *self._rotation.asked)
        return {name: self.status_of(name) for name in names}

    def status_of(self, name: str) -> CheckpointStatus:
        """Any checkpoint, as far as engines know it."""
        if group := self.groups.get(name):
            return group.status
        if failed := self.failed.get(name):
            return failed
        if name in self.sleeping and name not in self._rotation.asked:
            return self.sleeping[name].status
        state = "waiting" if name in self._rotation.asked else "unloaded"
        return CheckpointStatus(id=name, title=self._shelf.title(name), state=state)

    def find(self, name: str) -> EngineGroup:
        """The engines of a checkpoint.

        Raises:
            StudioError: why it could not be loaded.
            Busy: it has no engine yet.
            Conflict: it is not loaded.
        """
        if found := self.groups.get(name):
            return found
        status = self.status_of(name)
        if status.error is not None:
            raise status.error.error()
        if name in self._rotation.asked or name in self.sleeping:
            raise not_ready(status)
        raise Conflict(
            f"{status.title} is not loaded.", param="checkpoint", hint=f"POST /v1/checkpoints/{name}/load loads it."
        )

    async def settled(self, name: str) -> None:
        """Wait until one that is asked for is ready, or cannot be."""
        while name in self._rotation.asked or self.status_of(name).state in ("preparing", "loading"):
            await asyncio.sleep(LOOK_EVERY_S)

    def lay_down(self, name: str) -> None:
        """An idle one goes to sleep."""
        group = self.groups.pop(name)
        assert group.idle
        group.leaving = group.tired = False
        self.sleeping[name] = group
        for dispatcher in group.dispatchers:
            dispatcher.sleep()
        log.info("checkpoint_sleeps", checkpoint=name)

    def rouse(self, name: str) -> None:
        """One that sleeps comes back."""
        group = self.groups[name] = self.sleeping.pop(name)
        for dispatcher in group.dispatchers:
            dispatcher.rouse()
        log.info("checkpoint_wakes", checkpoint=name)
