"""The engines of a server: each holds one checkpoint, and the one longest unused leaves when another needs its room."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager

import structlog

from backend.broadcast import Broadcast
from backend.checkpoints.catalogue import CheckpointCatalogue
from backend.fleet.engine_pool import EngineGroup, EnginePool, Rotation
from backend.fleet.memory import FleetMemory
from backend.jobs.dispatcher import Dispatcher
from backend.jobs.ledger import Ledger
from backend.jobs.live_jobs import LiveJobs
from backend.jobs.preparations import Preparations
from backend.jobs.retrying import STORAGE_RETRY_S, recover
from studio.catalogue import DeviceMemory
from studio.checkpoints import Checkpoint
from studio.errors import Busy, Conflict, StorageError
from studio.events import CheckpointStatus
from studio.jobs import Job

log = structlog.get_logger("orrery.fleet")

LOOK_AGAIN_S = 5.0
"""How often a checkpoint that finds no room is looked at again, beside every change."""

LENDING_LOOK_S = 0.1
"""How often is looked whether all engines have left; one that works ends its step first."""


class Fleet:
    """Every engine, by checkpoint. Lives on the event loop's thread.

    Args:
        make: makes the engines of a checkpoint, which nothing has started yet. They tell their changes to the first
            function, and ask the second one before they take a job.
        memory: that of the devices that they are put on; reading it may take a second, and is done on a thread.
    """

    def __init__(
        self,
        *,
        live_jobs: LiveJobs,
        broadcast: Broadcast,
        catalogue: CheckpointCatalogue,
        make: Callable[[Checkpoint, Callable[[], None], Callable[[], bool]], list[Dispatcher]],
        memory: FleetMemory,
    ) -> None:
        self._live_jobs = live_jobs
        self._broadcast = broadcast
        self._catalogue = catalogue
        self._make = make
        self.memory = memory
        self._rotation = Rotation(catalogue, memory.memory_gb)
        self._pool = EnginePool(catalogue, self._rotation)
        self._look = asyncio.Event()
        self._lent_to = ""
        self._enlist(catalogue.active)

    # What others see.

    @property
    def status(self) -> CheckpointStatus:
        """The active checkpoint: the one that requests without a name go to."""
        return self.status_of(self._catalogue.active.id)

    def status_of(self, checkpoint: str) -> CheckpointStatus:
        """Any checkpoint, as far as engines know it."""
        return self._pool.status_of(checkpoint)

    @property
    def statuses(self) -> dict[str, CheckpointStatus]:
        """Every checkpoint that is loaded, on its way, asleep, or could not be loaded."""
        return self._pool.statuses

    @property
    def dispatchers(self) -> list[Dispatcher]:
        """Every engine that does not sleep."""
        return self._pool.dispatchers

    def spare_gb(self, memory: DeviceMemory) -> float:
        """What a checkpoint that comes now finds; others leave where that is too little."""
        return self._rotation.spare_gb(memory, self._pool.groups.values())

    def group(self, checkpoint: str | None) -> EngineGroup:
        """The engines of a checkpoint, or of the active one. Raises as `EnginePool.find`."""
        return self._pool.find(checkpoint or self._catalogue.active.id)

    async def any_group(self) -> EngineGroup:
        """Engines for work that takes no checkpoint: a ready one's, else the active one's. Raises as `group`."""
        ready = (group for group in self._pool.groups.values() if group.status.state == "ready")
        if (found := next(ready, None)) is not None:
            return found
        await self.awake(None)
        return self.group(None)

    async def awake(self, checkpoint: str | None) -> None:
        """Wake a checkpoint, or the active one, if it sleeps, and wait until it is ready, or cannot be."""
        name = checkpoint or self._catalogue.active.id
        if name in self._pool.sleeping:
            await self.bring(name)

    async def bring(self, name: str) -> None:
        """Load a checkpoint that no engine has, as a job of it would, and wait until it is ready, or cannot be.

        Raises:
            Busy: the devices are lent.
        """
        if self._lent_to and name not in self._pool.groups:
            raise Busy(f"{self._catalogue.title(name)} has left the GPU to {self._lent_to}.", hint="Try again later.")
        if name not in self._pool.groups and name not in self._pool.failed:
            self._want(name)
        await self._pool.settled(name)

    # What a person asks.

    def load(self, checkpoint: Checkpoint) -> CheckpointStatus:
        """Load a checkpoint, unless it is. Others leave for it if they must, when idle."""
        self._pool.failed.pop(checkpoint.id, None)
        if group := self._pool.groups.get(checkpoint.id):
            group.stay()
        self._want(checkpoint.id)
        return self.status_of(checkpoint.id)

    def make_default(self, checkpoint: Checkpoint) -> CheckpointStatus:
        """From now on requests without a name go to this checkpoint, which is loaded for them."""
        self._catalogue.activate(checkpoint)
        return self.load(checkpoint)

    async def sleep(self, name: str) -> CheckpointStatus:
        """Take a checkpoint off the device, after what it does now, until it is asked for again.

        Raises:
            Conflict: it is not ready, or jobs wait for it.
        """
        group = self._pool.groups.get(name)
        if group is None or group.status.state != "ready":
            said = self.status_of(name)
            raise Conflict(
                f"{said.title} is {said.state}; only a ready checkpoint can be put to sleep.", param="checkpoint"
            )
        await refuse_if_awaited(self._live_jobs, name)
        group.leaving = group.tired = True
        self._changed()
        return self.status_of(name)

    async def unload(self, name: str) -> CheckpointStatus:
        """Let a checkpoint go, after what it does now.

        Raises:
            Conflict: it is not loaded, or jobs wait for it.
        """
        self._rotation.asked = [asked for asked in self._rotation.asked if asked != name]
        if group := self._pool.groups.get(name):
            await refuse_if_awaited(self._live_jobs, name)
            group.leaving, group.tired = True, False
        elif sleeper := self._pool.sleeping.pop(name, None):
            await sleeper.end()
        elif self._pool.failed.pop(name, None) is None:
            raise Conflict(f"{name} is not loaded.", param="checkpoint")
        self._changed()
        return self.status_of(name)

    async def cancel(self, job_id: str) -> Job:
        """Cancel a job: a queued one at once, a running one after its present step. Raises Conflict if it has ended."""
        for dispatcher in self.dispatchers:
            if (job := await dispatcher.cancel(job_id)) is not None:
                return job
        return await self._live_jobs.move(Ledger.cancel, job_id)

    async def stop_job(self, job_id: str) -> Job:
        """Stop a running job and keep what is there. Raises Conflict unless it runs."""
        for dispatcher in self.dispatchers:
            if (job := await dispatcher.stop_job(job_id)) is not None:
                return job
        job = await self._live_jobs.get(job_id)
        raise Conflict(f"Job {job_id} is {job.state}; only a running job can be stopped early.")

    def wake(self) -> None:
        """Something was queued."""
        for dispatcher in self.dispatchers:
            dispatcher.wake()
        self._look.set()

    def interest_changed(self) -> None:
        """Somebody began or ceased to look at previews."""
        for dispatcher in self.dispatchers:
            dispatcher.interest_changed()

    @contextmanager
    def device_held(self, device: str, waits_for: str) -> Generator[None]:
        """Keep a device free: every job of its engines rests, and says what it waits for, until the block ends."""
        held = [engine for engine in self.dispatchers if engine.device == device]
        for engine in held:
            engine.hold(waits_for)
        try:
            yield
        finally:
            for engine in held:
                engine.hold(None)

    @asynccontextmanager
    async def lent(self, borrower: str) -> AsyncGenerator[None]:
        """Every engine off its device, once nothing is queued or runs, until the block ends; jobs wait and say so.

        Args:
            borrower: who has the devices meanwhile, as in "the tuning grasp".
        """
        while (queue := self._live_jobs.queue).num_running or (queue.num_queued and not queue.paused):
            await asyncio.sleep(LOOK_AGAIN_S)
        self._lent_to = self._live_jobs.lent_to = borrower
        sent_away = list(self._pool.groups)
        try:
            for group in self._pool.groups.values():
                group.leaving = group.tired = True
            self._changed()
            while self._pool.groups:
                await asyncio.sleep(LENDING_LOOK_S)
            yield
        finally:
            self._lent_to = self._live_jobs.lent_to = ""
            for name in sent_away:
                if group := self._pool.groups.get(name):
                    group.stay()
                self._want(name)

    # Running.

    async def run(self, preparations: Preparations) -> None:
        """Put orphans back, start the engines, then bring what is wanted until cancelled.

        Args:
            preparations: what happens to a job's words before it begins; some of it asks the engines' reasoners.
        """
        await recover(self._live_jobs)
        memory = await asyncio.to_thread(self.memory.read)
        for group in self._pool.groups.values():
            group.needed_gb = self.memory.needed_gb(group.checkpoint, memory) or 0.0
            self._start(group, preparations)
        while True:
            await self._look.wait()
            self._look.clear()
            try:
                await self._bring_next(preparations)
            except StorageError as error:  # what is wanted is looked for again; engines say it on the page
                log.error("storage_failed", code=error.code, message=error.message)
                asyncio.get_running_loop().call_later(STORAGE_RETRY_S, self._look.set)

    async def close(self) -> None:
        """End every engine; running jobs go back first in line, and it is nobody's fault."""
        await asyncio.gather(*(group.end() for group in self._pool.everyone))

    async def _bring_next(self, preparations: Preparations) -> None:
        """One change at a time: dismiss who leaves, or bring the checkpoint that is wanted first."""
        for name, group in list(self._pool.groups.items()):
            if group.leaving and group.idle:
                if group.tired:
                    self._pool.lay_down(name)
                    self._resident()
                else:
                    await self._dismiss(name)
            elif await self._has_failed(group):
                self._look.set()
                return
        if self._lent_to:
            return
        waiting = [name for name, _ in await self._live_jobs.read(Ledger.waiting_checkpoints)]
        wanted = self._rotation.wanted(waiting, {*self._pool.groups, *self._pool.failed})
        groups = self._pool.groups.values()
        if wanted is None or not all(group.settled for group in groups):
            return
        memory = await asyncio.to_thread(self.memory.read)
        needed = self.memory.needed_gb(wanted, memory) or 0.0
        if self._rotation.fits(needed, memory, groups):
            self._rotation.arrived(wanted.id)
            if wanted.id in self._pool.sleeping:
                self._pool.rouse(wanted.id)
                self._resident()
            else:
                self._start(self._enlist(wanted, needed), preparations)
        elif (leaving := self._rotation.leaving(wanted, groups, time.monotonic(), waiting)) is not None:
            log.info("checkpoint_leaves", checkpoint=leaving.checkpoint.id, room_for=wanted.id, needed_gb=needed)
            leaving.leaving = True
            self._changed()
        else:
            asyncio.get_running_loop().call_later(LOOK_AGAIN_S, self._look.set)

    async def _has_failed(self, group: EngineGroup) -> bool:
        """One that cannot be loaded goes and fails the jobs that need it; the active one waits for a person."""
        error = group.status.error if group.status.state == "failed" else None  # one that is lost comes back
        if error is None or group.checkpoint.id == self._catalogue.active.id:
            return False
        self._pool.failed[group.checkpoint.id] = group.status
        # Its jobs first: where the database refuses one, the group is still there to be looked at again.
        for job_id in await self._live_jobs.read(Ledger.queued_on, group.checkpoint.id):
            await self._live_jobs.move(Ledger.fail, job_id, error)
        await self._dismiss(group.checkpoint.id)
        return True

    def _enlist(self, checkpoint: Checkpoint, needed: float = 0.0) -> EngineGroup:
        engines = self._make(checkpoint, self._changed, lambda: not group.leaving)
        group = EngineGroup(checkpoint, engines, needed)
        self._pool.groups[checkpoint.id] = group
        self._live_jobs.resident = frozenset(self._pool.groups)
        return group

    def _start(self, group: EngineGroup, preparations: Preparations) -> None:
        group.start(preparations)
        log.info("checkpoint_comes", checkpoint=group.checkpoint.id, replicas=len(group.tasks))
        self._changed()

    async def _dismiss(self, name: str) -> None:
        await self._pool.groups.pop(name).end()
        log.info("checkpoint_gone", checkpoint=name)
        self._resident()

    def _resident(self) -> None:
        self._live_jobs.resident = frozenset(self._pool.groups)
        self._changed()

    def _want(self, name: str) -> None:
        """Load it next, unless it is, or is going to be."""
        if name not in self._pool.groups and name not in self._rotation.asked:
            self._rotation.asked.append(name)
        self._changed()

    def _changed(self) -> None:
        for group in self._pool.groups.values():
            group.used_at = group.used_at if group.idle else time.monotonic()
        statuses = {name: status.model_dump(mode="json") for name, status in self.statuses.items()}
        self._broadcast.publish("system", {"checkpoint": self.status.model_dump(mode="json"), "checkpoints": statuses})
        self._look.set()


async def refuse_if_awaited(live_jobs: LiveJobs, name: str) -> None:
    """Raises Conflict when queued jobs need a checkpoint: it would only be loaded again."""
    waiting = await live_jobs.read(Ledger.queued_on, name)
    if waiting:
        raise Conflict(
            f"{len(waiting)} queued jobs need {name}.",
            param="checkpoint",
            hint="Cancel them, or wait until they have run.",
        )
