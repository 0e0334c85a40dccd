"""Jobs whose ids are known before they are: what asks again, after a kill too, gets the same one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from backend.jobs.service import JobService
from studio.errors import Conflict, EngineError, JobNotFound, StudioError
from studio.jobs import Job, JobState, Priority


class PromisedJobs:
    """Hands requests to the queue and waits for what comes of them."""

    def __init__(self, jobs: JobService) -> None:
        self._jobs = jobs

    async def succeeded(
        self,
        job_id: str,
        payload: Mapping[str, Any],
        told: Callable[[Job], None] = lambda _: None,
        *,
        priority: Priority = "normal",
        evaluation: bool = False,
    ) -> Job:
        """A job once it has succeeded, whether it is yet to be queued, runs already, or has ended before.

        Args:
            job_id, payload: of the job.
            told: of it at every change.
            priority: where it is queued.
            evaluation: whether a benchmark's run asks for it.

        Raises:
            StudioError: it was refused, failed, or was cancelled, and why.
        """
        try:
            job = await self._jobs.get(job_id)
        except JobNotFound:
            job = await self._jobs.submit(payload, job_id=job_id, priority=priority, evaluation=evaluation)
        if job.state in (JobState.FAILED, JobState.CANCELLED):
            job = await self._jobs.retry(job_id)
        job = await self._jobs.finished(job_id, told)
        if job.error is not None:
            raise job.error.error()
        if job.state is JobState.CANCELLED:
            raise EngineError(f"Job {job.id} was cancelled.", hint="Resume what it belongs to, which runs it again.")
        return job

    def refuse_if_failed(self, checkpoint: str) -> None:
        """Raises Conflict: the checkpoint could not be loaded, so that no job of it can be queued."""
        try:
            self._jobs.refuse_if_failed(checkpoint)
        except StudioError as error:
            raise Conflict(f"{checkpoint} could not be loaded: {error.message}", hint=error.hint) from None

    async def give_up(self, job_id: str) -> None:
        """Cancel a job if there is one that has not ended, and wait until the worker has let go of it."""
        with suppress(JobNotFound, Conflict):
            await self._jobs.cancel(job_id)
            await self._jobs.finished(job_id)
