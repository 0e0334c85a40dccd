"""A call that waits for the job behind it, or for other work, and what becomes of that when the caller leaves."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import structlog
from fastapi import Request

from backend.jobs.service import JobService
from studio.errors import Conflict, JobNotFound
from studio.jobs import Job, JobState

T = TypeVar("T")

log = structlog.get_logger("orrery.http")


async def outcome(job: Job, request: Request, jobs: JobService, *, shared: bool = False) -> Job:
    """The job once it has succeeded; who hangs up cancels it.

    Args:
        shared: another call asked for it first, and it is left alone when this one leaves.

    Raises:
        Conflict: it was cancelled.
        StudioError: why it failed.
    """
    job = await _finished_or_abandoned(job, request, jobs, shared=shared)
    if job.state is JobState.CANCELLED:
        raise Conflict(f"Job {job.id} was cancelled.", hint="Send the request again.")
    if job.error is not None:
        raise job.error.error()
    return job


async def _finished_or_abandoned(job: Job, request: Request, jobs: JobService, *, shared: bool) -> Job:
    finished = asyncio.create_task(jobs.finished(job.id))
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
        return await jobs.cancel(job.id)
    except (Conflict, JobNotFound):
        return await jobs.get(job.id)


async def unless_gone(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """What the work comes to; it is cancelled when the caller hangs up. The body has been read.

    Raises:
        Conflict: the caller has left; nobody reads that.
    """
    working = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(hung_up(request))
    try:
        await asyncio.wait({working, gone}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        log.info("caller_left", path=request.url.path)
        raise Conflict("Whoever asked has left.", hint="Ask again.")
    finally:
        gone.cancel()
        if not working.done():
            working.cancel()
            await asyncio.wait({working})


async def hung_up(request: Request) -> None:
    """Returns when the caller has left. The body has been read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
