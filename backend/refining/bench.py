"""Making a refinement's results: each is an ordinary job of the queue."""

from __future__ import annotations

from contextlib import suppress

from backend.jobs.service import JobService
from backend.media import MediaStore
from studio.errors import Conflict, EngineError, JobNotFound
from studio.jobs import Job, JobState
from studio.media import MediaReference
from studio.requests import GenerateImage, GenerateVideo


class Bench:
    """Hands requests to the queue and waits for what comes of them."""

    def __init__(self, jobs: JobService, store: MediaStore) -> None:
        self._jobs = jobs
        self._store = store

    async def make(self, job_id: str, request: GenerateImage | GenerateVideo) -> MediaReference:
        """What a job makes, whether it is yet to be queued, runs already, or has ended before.

        Raises:
            StudioError: it was refused, failed, or was cancelled, and why.
        """
        try:
            job = await self._jobs.get(job_id)
        except JobNotFound:
            job = await self._jobs.submit(request.model_dump(mode="json"), job_id=job_id)
        if job.state in (JobState.FAILED, JobState.CANCELLED):
            job = await self._jobs.retry(job_id)
        return _result(await self._jobs.finished(job_id))

    async def give_up(self, job_id: str) -> None:
        """Cancel a job if there is one that has not ended."""
        with suppress(JobNotFound, Conflict):
            await self._jobs.cancel(job_id)

    def holds(self, made: MediaReference) -> bool:
        """Whether the file of a result is still there."""
        return self._store.holds(made.id, made.mime)


def _result(job: Job) -> MediaReference:
    if job.error is not None:
        raise job.error.error()
    made = next((each for each in job.results if each.type in ("image", "video")), None)
    if job.state is JobState.CANCELLED or made is None:
        raise EngineError(f"Job {job.id} was cancelled.", hint="Resume to make it after all.")
    return made
