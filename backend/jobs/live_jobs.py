"""What everybody sees: the ledger's rows with the live progress over them, and every change told as it happens.

Open jobs that were asked for are kept as they stand in the ledger: reading one again asks no database. Everything that
changes an open job goes through `LiveJobs`, so what is kept is what is written down. Ended jobs are left out: others
remove them.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

import structlog
from sqlalchemy import func, select

from backend.broadcast import Broadcast, LibraryNews
from backend.database.tables import JobRow
from backend.jobs.eta import Stopwatch, estimate_job, queued_seconds, record
from backend.jobs.ledger import Ledger
from backend.media import MediaStore
from studio.errors import StorageError
from studio.jobs import Job, JobState, Progress
from studio.queue import Estimate, QueueStatus


class OpenJobs:
    """Open jobs by id. Lives on the event loop's thread.

    Attributes:
        num_changes: how often anything was changed; who reads the ledger beside its thread compares before and after.
    """

    def __init__(self) -> None:
        self._kept: dict[str, Job] = {}
        self._shown: dict[str, tuple[Job, bytes]] = {}
        self.num_changes = 0

    def get(self, job_id: str) -> Job | None:
        """A job, if it is kept."""
        return self._kept.get(job_id)

    def changed(self, *jobs: Job) -> None:
        """The ledger has these jobs so now."""
        self.num_changes += 1
        for job in jobs:
            self.keep(job)

    def keep(self, job: Job) -> None:
        """What the ledger has this moment; of one that has ended nothing."""
        if job.state.ended:
            self._kept.pop(job.id, None)
            self._shown.pop(job.id, None)
        else:
            self._kept[job.id] = job

    def forget(self) -> None:
        """More has changed than anybody could list."""
        self.num_changes += 1
        self._kept.clear()
        self._shown.clear()

    def encoded(self, job: Job) -> bytes:
        """A job as JSON: written once, for as long as it is the same object that is asked for."""
        found = self._shown.get(job.id)
        if found is not None and found[0] is job:
            return found[1]
        written = job.model_dump_json().encode()
        if self._kept.get(job.id) is job:
            self._shown[job.id] = job, written
        return written


P = ParamSpec("P")
T = TypeVar("T")

log = structlog.get_logger("orrery.jobs")

NUM_TOLD = 50
"""More jobs than a page shows of a queue, and few enough for every subscriber's backlog."""

NUM_OF_KIND = 12
"""Jobs of each kind that a page has however many of another came since: a comparison may have hundreds."""

TOLD_S = 1.0
"""By how much the queue's seconds change before that is told: a small job has twenty steps a second."""


def queue_status(ledger: Ledger) -> QueueStatus:
    """How the queue stands; its `seconds_left` are those of what is queued, without what runs."""
    with ledger.transaction() as session:
        query = (
            select(JobRow.state, func.count())
            .where(JobRow.state.in_((JobState.QUEUED, JobState.RUNNING)))
            .group_by(JobRow.state)
        )
        counts = {str(state): int(count) for state, count in session.execute(query)}
        return QueueStatus(
            paused=ledger.is_paused(session),
            full=ledger.is_full(session),
            num_queued=counts.get(JobState.QUEUED, 0),
            num_running=counts.get(JobState.RUNNING, 0),
            seconds_left=queued_seconds(session),
        )


class LiveJobs:
    """The ledger on a thread of its own, so that a slow disk never stops the event loop.

    One thread means that two moves never overlap, and that whoever reads sees every move that was answered.

    Attributes:
        resident: ids of the checkpoints that engines hold; a job of another one says that it waits for it.
        lent_to: who has the devices instead of all engines; empty as long as nobody has.
    """

    def __init__(self, ledger: Ledger, media: MediaStore, broadcast: Broadcast) -> None:
        self._ledger = ledger
        self._media = media
        self.resident: frozenset[str] = frozenset()
        self.lent_to = ""
        self._broadcast = broadcast
        self.library_news = LibraryNews(broadcast)
        self.queue = self._queued = QueueStatus()
        self._looking = asyncio.Lock()
        self._looked_at = -math.inf
        self._progress: dict[str, Progress] = {}
        self._stopwatches: dict[str, Stopwatch] = {}
        self._held: dict[str, str] = {}
        self._open = OpenJobs()
        self._num_spreads = 0

    async def read(self, query: Callable[Concatenate[Ledger, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do something with the ledger on its thread, as in ``await live_jobs.read(Ledger.recover, returns=1)``."""
        return await self._ledger.database.alone(lambda: query(self._ledger, *args, **kwargs))

    async def look(self, query: Callable[Concatenate[Ledger, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Ask the ledger beside its thread: who only reads waits for no disk, and sees every move that was answered."""
        return await self._ledger.database.beside(lambda: query(self._ledger, *args, **kwargs))

    async def move(self, change: Callable[Concatenate[Ledger, P], Job], *args: P.args, **kwargs: P.kwargs) -> Job:
        """Change one job in the ledger, then tell everybody; of one that comes to nothing no results are left."""

        def changed(ledger: Ledger) -> tuple[Job, bool]:
            num_spreads = ledger.num_spreads
            job = change(ledger, *args, **kwargs)
            if job.state in (JobState.FAILED, JobState.CANCELLED):
                # On the ledger's thread, so that a retry cannot come in between.
                self._media.remove_results(job.id)
            return job, ledger.num_spreads > num_spreads

        job, is_spread = await self.read(changed)
        self._note(job)
        job = self.now(job)
        self._progress.pop(job.id, None)
        self._broadcast.publish("jobs", job.model_dump(mode="json"), job.id)
        if is_spread:
            self._broadcast.start_over()
        if job.state is JobState.SUCCEEDED:
            self.library_news.changed()
        await self._after(job)
        return job

    async def move_many(
        self, change: Callable[Concatenate[Ledger, P], list[Job]], *args: P.args, **kwargs: P.kwargs
    ) -> list[Job]:
        """Change queued jobs in the ledger at once, then tell everybody; of many, by a new snapshot."""

        def changed(ledger: Ledger) -> list[Job]:
            jobs = change(ledger, *args, **kwargs)
            for job in jobs:
                if job.state.ended:  # it may have been put back into the queue with something made
                    self._media.remove_results(job.id)
            return jobs

        written = await self.read(changed)
        self._note(*written)
        jobs = [self.now(job) for job in written]
        if len(jobs) > NUM_TOLD:
            self._broadcast.start_over()
        else:
            for job in jobs:
                self._broadcast.publish("jobs", job.model_dump(mode="json"), job.id)
        await self._after()
        return jobs

    async def claim(self, checkpoint: str) -> Job | None:
        """Take the next job of a checkpoint from the queue, and tell everybody; none when none waits."""

        def claimed(ledger: Ledger) -> tuple[Job, Estimate] | None:
            job = ledger.claim(checkpoint)
            if job is None:
                return None
            try:
                with ledger.transaction() as session:
                    return job, estimate_job(session, job.id)
            except StorageError:  # the job is taken all the same
                return job, Estimate()

        taken = await self.read(claimed)
        if taken is None:
            return None
        job, expected = taken
        self._note(job)
        num_steps = job.request.sampling.num_inference_steps * job.request.count
        self._stopwatches[job.id] = Stopwatch(num_steps, expected)
        self._broadcast.publish("jobs", job.model_dump(mode="json"), job.id)
        await self._after()
        return job

    async def tell_queue(self) -> QueueStatus:
        """How the queue stands now; everybody is told when that is new.

        One look at a time, so that an older one is never told last; who comes during it shares the next one.
        """
        asked_at = time.monotonic()
        async with self._looking:
            if self._looked_at < asked_at:
                began_at = time.monotonic()
                self._queued = await self.look(queue_status)
                self._looked_at = began_at
                status = self._with_running()
                if status != self.queue:
                    self._tell(status)
        return self.queue

    def _with_running(self) -> QueueStatus:
        """The queue with what the jobs that run say of themselves."""
        left = [self._queued.seconds_left, *(stopwatch.seconds_left for stopwatch in self._stopwatches.values())]
        known = [seconds for seconds in left if seconds is not None]
        total = round(sum(known), 1) if len(known) == len(left) else None
        return self._queued.model_copy(update={"seconds_left": total})

    def _tell(self, status: QueueStatus) -> None:
        self.queue = status
        self._broadcast.publish("system", {"queue": status.model_dump(mode="json")})

    async def many(
        self, query: Callable[Concatenate[Ledger, P], list[Job]], *args: P.args, **kwargs: P.kwargs
    ) -> list[Job]:
        """Jobs as they are now."""
        return [self.now(job) for job in await self.look(query, *args, **kwargs)]

    async def get(self, job_id: str) -> Job:
        """One job as it is now. Raises JobNotFound."""
        found = self._open.get(job_id)
        if found is None:
            num_changes = self._open.num_changes
            found = await self.look(Ledger.get, job_id)
            if num_changes == self._open.num_changes:
                self._open.keep(found)
        return self.now(found)

    async def encoded(self, job_id: str) -> bytes:
        """One job as it is now, as JSON. Raises JobNotFound."""
        return self._open.encoded(await self.get(job_id))

    def _note(self, *jobs: Job) -> None:
        """These are so now in the ledger; where all were given other positions, so are others."""
        if self._ledger.num_spreads != self._num_spreads:
            self._num_spreads = self._ledger.num_spreads
            self._open.forget()
        self._open.changed(*jobs)

    async def newest(self, limit: int, state: JobState | None = None) -> list[Job]:
        """The newest jobs, newest first."""
        return await self.many(Ledger.newest, limit, state)

    async def page(self, limit: int, state: JobState | None, before: int | None) -> tuple[list[Job], int | None]:
        """The newest jobs before a number, newest first, and the number that the next page is before."""
        jobs, following = await self.look(Ledger.page, limit, state, before)
        return [self.now(job) for job in jobs], following

    async def snapshot(self, limit: int) -> dict[str, Job]:
        """What a page is drawn from: what runs, the first of the queue, the newest of all and of each kind, by id."""
        of_kinds = await self.look(Ledger.newest_of_kinds, NUM_OF_KIND)
        jobs = [*of_kinds, *await self.newest(limit), *await self.look(Ledger.open_jobs, limit)]
        return {job.id: self.now(job) for job in jobs}

    def advance(self, job_id: str, progress: Progress) -> None:
        """A running job's live progress: told, not written down."""
        stopwatch = self._stopwatches.get(job_id)
        if stopwatch is not None:
            progress = stopwatch.note(progress)
        self._progress[job_id] = progress
        change: dict[str, Any] = {"progress": progress.model_dump(mode="json")}
        self._broadcast.publish("jobs", change, job_id)
        status = self._with_running()
        now, told = status.seconds_left, self.queue.seconds_left
        if now != told and (now is None or told is None or abs(now - told) >= TOLD_S):
            self._tell(status)

    async def hold(self, checkpoint: str, waits_for: str | None) -> None:
        """What every open job of a checkpoint waits for beside its turn; told, not written down.

        Pages hear it at once of those that run and of the first of the queue, and of others when they read them.
        """
        if waits_for is None:
            self._held.pop(checkpoint, None)
        else:
            self._held[checkpoint] = waits_for
        for stopwatch in self._stopwatches.values():
            stopwatch.pause()
        for job in await self.read(Ledger.open_jobs, NUM_TOLD):
            self._broadcast.publish("jobs", {"waiting_for": self.now(job).waiting_for}, job.id)

    async def sweep(self) -> int:
        """Remove what killed processes left in the store, before anything runs; returns how many files that were."""

        def swept(ledger: Ledger) -> int:
            try:
                unmade = ledger.unmade()
            except StorageError as error:  # the dispatcher waits it out; results are swept at the next start
                log.error("storage_failed", code=error.code, message=error.message)
                unmade = frozenset[str]()
            return self._media.sweep(unmade)

        return await self.read(swept)

    async def close(self) -> None:
        """Finish what was begun and let go of the database."""
        await asyncio.to_thread(self._ledger.close)

    async def _after(self, job: Job | None = None) -> None:
        """What follows a move that has been written down; the move stands, whatever the database says to the rest."""
        try:
            if job is not None:
                await self._take_time(job)
            await self.tell_queue()
        except StorageError as error:
            log.error("storage_failed", code=error.code, message=error.message)

    async def _take_time(self, job: Job) -> None:
        """Of a job that no longer runs: what it took says how long the next ones like it will."""
        stopwatch = None if job.state is JobState.RUNNING else self._stopwatches.pop(job.id, None)
        if stopwatch is None or job.state is not JobState.SUCCEEDED or job.stopped_at_step is not None:
            return
        measured = stopwatch.measured(job.progress.steps)
        if measured is None:
            return

        def written(ledger: Ledger) -> None:
            with ledger.transaction() as session:
                record(session, job.id, measured)

        await self.read(written)

    def now(self, job: Job) -> Job:
        """A row with what is known of it this moment: its progress, and what it waits for."""
        match job.state:
            case JobState.RUNNING:
                live = self._progress.get(job.id, job.progress)
                return job.model_copy(update={"progress": live, "waiting_for": self._held.get(job.checkpoint)})
            case JobState.QUEUED:
                is_resident = job.checkpoint in self.resident
                waits = self._held.get(job.checkpoint) if is_resident else f"checkpoint {job.checkpoint}"
                waits = self.lent_to or waits
                return self._waiting(job, waits)
            case _:
                return job

    def _waiting(self, job: Job, waits_for: str | None) -> Job:
        """The same object as long as nothing is new, so that its JSON is too."""
        if waits_for == job.waiting_for:
            return job
        waiting = job.model_copy(update={"waiting_for": waits_for})
        if self._open.get(job.id) is job:
            self._open.keep(waiting)
        return waiting
