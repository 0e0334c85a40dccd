"""Accepting jobs and answering for them: what a route calls, and nothing a route need know."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol

import structlog

from backend.broadcast import Broadcast
from backend.jobs.admission import Admission
from backend.jobs.ledger import Ledger
from backend.jobs.live_jobs import LiveJobs
from studio.catalogue import JobList
from studio.errors import BadInput
from studio.events import CheckpointStatus, Delta
from studio.jobs import Job, JobState, Priority
from studio.presets import laid_over
from studio.requests import shown


class Engines(Protocol):
    """All engines of the server together; `backend.fleet.Fleet` is it."""

    def wake(self) -> None:
        """Something was queued."""
        ...

    def status_of(self, checkpoint: str) -> CheckpointStatus:
        """A checkpoint as engines have it."""
        ...

    async def cancel(self, job_id: str) -> Job:
        """Cancel a job: a queued one at once, a running one after its present step. Raises Conflict if it has ended."""
        ...

    async def stop_job(self, job_id: str) -> Job:
        """Stop a running job and keep what is there. Raises Conflict unless it runs."""
        ...


log = structlog.get_logger("orrery.jobs")

CANCEL_ANSWER_S = 5.0
"""How long a cancel waits for the worker's present step before it answers with the job as it is."""


CURSOR = re.compile(r"newest-\d{1,18}")
"""The number of a page's last job, as the library's cursors are written."""


class JobService:
    """The verbs of `/v1/jobs`."""

    def __init__(
        self,
        live_jobs: LiveJobs,
        engines: Engines,
        admission: Admission,
        broadcast: Broadcast,
    ) -> None:
        self._live_jobs = live_jobs
        self._admission = admission
        self._engines = engines
        self._broadcast = broadcast

    async def submit(
        self,
        payload: Mapping[str, Any],
        *,
        job_id: str | None = None,
        priority: Priority = "normal",
        guardrails: bool | None = None,
        evaluation: bool = False,
    ) -> Job:
        """Accept a request; once this returns, the job survives everything.

        Args:
            payload: decoded JSON of a request; what it leaves out comes from the checkpoint's preset.
            job_id: what it will be called, where that has been promised; else any.
            priority: where in the queue it is put.
            guardrails: whether the guardrail is to read it; none is what the server does by itself.
            evaluation: whether a benchmark's run asks for it.

        Raises:
            BadInput, MediaNotFound, CheckpointNotFound, Conflict: see `Admission.admit`.
            StorageError: it could not be written down.
            BrokenCheckpoint, EngineError: the checkpoint could not be loaded; what was queued before waits.
        """
        accepted = await self._admission.admit(payload, job_id, guardrails=guardrails)
        self.refuse_if_failed(accepted.checkpoint)

        def insert(ledger: Ledger) -> Job:
            self._admission.check_still_there(accepted.request)
            return ledger.insert(replace(accepted, evaluation=evaluation), priority)

        job = await self._live_jobs.move(insert)
        log.info("job_accepted", job_id=job.id, kind=job.kind, checkpoint=job.checkpoint)
        self._engines.wake()
        return job

    async def duplicate(self, job_id: str, changes: Mapping[str, Any]) -> Job:
        """Queue a job's request again, some fields changed, nested ones singly. Raises JobNotFound, and as `submit`.

        The new job runs on the checkpoint of the old one, unless that is what changes.
        """
        job = await self._live_jobs.get(job_id)
        said = {**job.request.model_dump(mode="json"), "checkpoint": job.checkpoint}
        return await self.submit(laid_over(said, changes), priority=job.priority)

    async def get(self, job_id: str) -> Job:
        """One job. Raises JobNotFound."""
        return await self._live_jobs.get(job_id)

    async def encoded(self, job_id: str) -> bytes:
        """One job as JSON. Raises JobNotFound."""
        return await self._live_jobs.encoded(job_id)

    async def newest(self, limit: int, state: JobState | None, cursor: str | None = None) -> JobList:
        """The newest jobs, newest first, from where a page before has ended.

        Raises:
            BadInput: the cursor is none.
        """
        if cursor is not None and not CURSOR.fullmatch(cursor):
            raise BadInput(f"cursor is {shown(cursor)}; expected next_cursor of the previous page.", param="cursor")
        before = None if cursor is None else int(cursor.partition("-")[2])
        jobs, following = await self._live_jobs.page(limit, state, before)
        return JobList(jobs=tuple(jobs), next_cursor=None if following is None else f"newest-{following}")

    async def cancel(self, job_id: str) -> Job:
        """Cancel, and wait a moment for the worker to let go. Raises JobNotFound, Conflict."""
        job = await self._engines.cancel(job_id)
        return job if job.state.ended else await self._settled(job_id)

    async def stop(self, job_id: str) -> Job:
        """Stop a running job and keep what is there. Raises JobNotFound, Conflict."""
        await self._engines.stop_job(job_id)
        return await self._settled(job_id)

    async def retry(self, job_id: str) -> Job:
        """Queue a failed or cancelled job again.

        Raises:
            JobNotFound: there is none.
            Conflict: it has not ended, or it succeeded.
            MediaNotFound, BadInput: what it was made from is gone.
            GuardrailBlocked, GuardrailLost: as `submit`.
            BrokenCheckpoint, EngineError: as `submit`.
        """
        job = await self._live_jobs.get(job_id)
        verdict = job.guardrail
        if job.state in (JobState.FAILED, JobState.CANCELLED):
            verdict = await self._admission.check_again(job)
        self.refuse_if_failed(job.checkpoint)
        job = await self._live_jobs.move(Ledger.retry, job_id, verdict)
        self._engines.wake()
        return job

    async def follow(self, job_id: str) -> AsyncIterator[Job]:
        """A job now and after each change, until it has ended or the reader lags too far. Raises JobNotFound."""
        with self._broadcast.subscribe() as subscription:
            job = await self._live_jobs.get(job_id)
            yield job
            while not (job.state.ended or subscription.lagged):
                item = await subscription.items.get()
                told = isinstance(item, Delta) and item.key == "jobs" and item.id == job_id
                if told or item is None:  # of many changes at once nobody is told singly
                    job = await self._live_jobs.get(job_id)
                    yield job

    async def finished(self, job_id: str, told: Callable[[Job], None] = lambda _: None) -> Job:
        """A job once it has ended, however long that takes; `told` of it at every change. Raises JobNotFound."""
        job = await self._live_jobs.get(job_id)
        while not job.state.ended:
            async for seen in self.follow(job_id):
                told(job := seen)
        return job

    def refuse_if_failed(self, checkpoint: str) -> None:
        """Raises why nothing can be accepted: the checkpoint could not be loaded."""
        if (error := self._engines.status_of(checkpoint).error) is not None:
            raise error.error()

    async def _settled(self, job_id: str) -> Job:
        try:
            return await asyncio.wait_for(self.finished(job_id), CANCEL_ANSWER_S)
        except TimeoutError:
            return await self._live_jobs.get(job_id)
