"""Checkpoints in engines, asleep or failed; which one comes next, and which one leaves for it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import structlog

from backend import vital
from backend.checkpoints.catalogue import CheckpointCatalogue
from backend.jobs.dispatcher import Dispatcher
from backend.jobs.preparations import Preparations
from studio.catalogue import DeviceMemory
from studio.checkpoints import Checkpoint
from studio.errors import Busy, Conflict
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
        """Its best engine's word; one that is ready speaks for all, one that has failed only if all have."""
        ranks = {"ready": 0, "failed": 2}
        best = min((engine.status for engine in self.dispatchers), key=lambda status: ranks.get(status.state, 1))
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
        """The ready engine with the fewest conversations, on this host if one is; the group stays as long as the block.

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
        engine = min(ready, key=lambda one: (not one.is_near(), self.holders.count(one)))
        self.holders.append(engine)
        try:
            yield engine
        finally:
            self.holders.remove(engine)
            self.used_at = time.monotonic()


def not_ready(status: CheckpointStatus) -> Busy:
    """What to raise for a checkpoint that is on its way."""
    return Busy(f"{status.title} is not ready yet ({status.state}).", hint="Try again when /readyz reports ready.")


log = structlog.get_logger("orrery.fleet")


LOOK_EVERY_S = 0.05
"""How often somebody who waits for a checkpoint looks at it; a wake takes seconds."""


class EnginePool:
    """Groups of engines by the id of their checkpoint.

    Attributes:
        groups: on the device, or on their way there.
        sleeping: off the device, and back sooner than one that was given up; every one of them is idle.
        failed: what is said of those that could not be loaded.
    """

    def __init__(self, catalogue: CheckpointCatalogue, rotation: Rotation) -> None:
        self._catalogue = catalogue
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
        return CheckpointStatus(id=name, title=self._catalogue.title(name), state=state)

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


MAX_PASSED_OVER_S = 60.0
"""How long jobs of loaded checkpoints may go before an older one whose checkpoint finds no room. A swap costs seconds
to a minute: waiting for less would spend the time on swapping, and waiting for ever would starve somebody."""


class Rotation:
    """Who waits for an engine.

    Args:
        memory_gb: bound on what all loaded checkpoints may take together of a device; none is what it has free.

    Attributes:
        asked: checkpoints that a person wants loaded, first come first served.
    """

    def __init__(self, catalogue: CheckpointCatalogue, memory_gb: float | None) -> None:
        self.asked: list[str] = []
        self._catalogue = catalogue
        self._memory_gb = memory_gb
        self._blocked: tuple[str, float] | None = None

    def wanted(self, waiting: Iterable[str], unavailable: Collection[str]) -> Checkpoint | None:
        """The checkpoint that comes next: what a person asked for, else what the oldest waiting job needs.

        Args:
            waiting: checkpoints of queued jobs, in the order of running.
            unavailable: those that are loaded already, or could not be.
        """
        for name in (*self.asked, *waiting):
            if name not in unavailable and (found := self._catalogue.loadable(name)) is not None:
                return found
        return None

    def fits(self, needed_gb: float, memory: DeviceMemory, groups: Collection[EngineGroup]) -> bool:
        """Whether there is room. A checkpoint alone may always try: it says itself what it lacks."""
        return not groups or needed_gb <= self.spare_gb(memory, groups)

    def spare_gb(self, memory: DeviceMemory, groups: Iterable[EngineGroup]) -> float:
        """What is left for one more: of what was granted, else of what each device has free."""
        if self._memory_gb is None:
            return memory.free_gb
        return self._memory_gb - sum(group.needed_gb for group in groups)

    def arrived(self, name: str) -> None:
        """It has its engines."""
        self.asked = [asked for asked in self.asked if asked != name]
        self._blocked = None

    def leaving(
        self, wanted: Checkpoint, groups: Collection[EngineGroup], now: float, waiting: Sequence[str] = ()
    ) -> EngineGroup | None:
        """Who makes room: of the idle ones the longest unused; a busy one once that is due; nobody while one is going.

        Args:
            now: on the monotonic clock.
            waiting: checkpoints of queued jobs, in the order of running. Unless a person asks, one that is ready and
                stands before the wanted one stays until it has done its jobs: it would come back for them, and two
                would take turns with every swap.
        """
        if any(group.leaving for group in groups):
            return None
        if self._blocked is None or self._blocked[0] != wanted.id:
            self._blocked = wanted.id, now
        is_due = wanted.id in self.asked or now - self._blocked[1] >= MAX_PASSED_OVER_S
        ahead = waiting[: waiting.index(wanted.id)] if wanted.id in waiting else waiting
        kept = () if wanted.id in self.asked else ahead
        able = [
            group
            for group in groups
            if (group.idle or is_due) and not (group.checkpoint.id in kept and group.status.state == "ready")
        ]
        return min(able, key=lambda group: (not group.idle, group.used_at), default=None)
