"""What everybody sees: the ledger's rows with the live progress over them, and every change told as it happens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Concatenate, ParamSpec, TypeVar

import structlog

from backend.broadcast import Broadcast
from backend.jobs.ledger import Ledger
from backend.media import MediaStore
from studio.errors import StorageError
from studio.jobs import Job, JobState, Progress

P = ParamSpec("P")
T = TypeVar("T")

log = structlog.get_logger("orrery.board")


class Board:
    """The ledger on a thread of its own, so that a slow disk never stops the event loop.

    One thread means that two moves never overlap, and that whoever reads sees every move that was answered.
    """

    def __init__(self, ledger: Ledger, media: MediaStore, broadcast: Broadcast, checkpoint: str) -> None:
        self._ledger = ledger
        self._media = media
        self._checkpoint = checkpoint
        self._broadcast = broadcast
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="ledger")
        self._progress: dict[str, Progress] = {}

    async def read(self, query: Callable[Concatenate[Ledger, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Ask the ledger something, as in ``await board.read(Ledger.counts)``."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, lambda: query(self._ledger, *args, **kwargs))

    async def move(self, change: Callable[Concatenate[Ledger, P], Job], *args: P.args, **kwargs: P.kwargs) -> Job:
        """Change one job in the ledger, then tell everybody; of one that comes to nothing no results are left."""

        def changed(ledger: Ledger) -> Job:
            job = change(ledger, *args, **kwargs)
            if job.state in (JobState.FAILED, JobState.CANCELLED):
                # On the ledger's thread, so that a retry cannot come in between.
                self._media.remove_results(job.id)
            return job

        job = self._now(await self.read(changed))
        self._progress.pop(job.id, None)
        self._broadcast.publish("jobs", job.model_dump(mode="json"), job.id)
        return job

    async def claim(self, checkpoint: str) -> Job | None:
        """Take the next job of a checkpoint from the queue, and tell everybody; none when none waits."""
        job = await self.read(Ledger.claim, checkpoint)
        if job is not None:
            self._broadcast.publish("jobs", job.model_dump(mode="json"), job.id)
        return job

    async def get(self, job_id: str) -> Job:
        """One job as it is now. Raises JobNotFound."""
        return self._now(await self.read(Ledger.get, job_id))

    async def newest(self, limit: int, state: JobState | None = None) -> list[Job]:
        """The newest jobs, newest first."""
        return [self._now(job) for job in await self.read(Ledger.newest, limit, state)]

    async def snapshot(self, limit: int) -> dict[str, Job]:
        """What a page is drawn from: every open job and the newest others, by id."""
        jobs = [*await self.newest(limit), *await self.read(Ledger.open_jobs)]
        return {job.id: self._now(job) for job in jobs}

    def advance(self, job_id: str, progress: Progress) -> None:
        """A running job's live progress: told, not written down."""
        self._progress[job_id] = progress
        change: dict[str, Any] = {"progress": progress.model_dump(mode="json")}
        self._broadcast.publish("jobs", change, job_id)

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
        await self.read(Ledger.close)
        self._thread.shutdown()

    def _now(self, job: Job) -> Job:
        live = self._progress.get(job.id)
        if job.state is JobState.RUNNING and live is not None:
            return job.model_copy(update={"progress": live})
        if job.state is JobState.QUEUED and job.checkpoint != self._checkpoint:
            return job.model_copy(update={"waiting_for": f"checkpoint {job.checkpoint}"})
        return job
