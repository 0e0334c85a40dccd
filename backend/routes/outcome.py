"""A call that waits for the job behind it."""

from __future__ import annotations

import asyncio

import structlog
from fastapi import Request

from backend.routes.hanging_up import hung_up
from backend.services import Services
from studio.errors import Conflict, JobNotFound
from studio.jobs import Job, JobState

log = structlog.get_logger("orrery.http")


async def outcome(job: Job, request: Request, parts: Services, *, shared: bool = False) -> Job:
    """The job once it has succeeded; who hangs up cancels it.

    Args:
        shared: another call asked for it first, and it is left alone when this one leaves.

    Raises:
        Conflict: it was cancelled.
        StudioError: why it failed.
    """
    job = await _finished_or_abandoned(job, request, parts, shared=shared)
    if job.state is JobState.CANCELLED:
        raise Conflict(f"Job {job.id} was cancelled.", hint="Send the request again.")
    if job.error is not None:
        raise job.error.error()
    return job


async def _finished_or_abandoned(job: Job, request: Request, parts: Services, *, shared: bool) -> Job:
    finished = asyncio.create_task(parts.jobs.finished(job.id))
    gone = asyncio.create_task(hung_up(request))
    done, _ = await asyncio.wait({finished, gone}, return_when=asyncio.FIRST_COMPLETED)
    gone.cancel()
    if finished in done:
        return finished.result()
    finished.cancel()
    log.info("caller_left", job_id=job.id)
    if shared:
        raise Conflict("Whoever asked has left.", hint="Ask again.")
    try:
        return await parts.jobs.cancel(job.id)
    except (Conflict, JobNotFound):
        return await parts.jobs.get(job.id)
