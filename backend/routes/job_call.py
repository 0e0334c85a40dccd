"""A call with a job behind it: one for each `Idempotency-Key`, waited for, given up when the caller leaves."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from typing import Annotated, Any, TypeVar

import structlog
from fastapi import Header, Request, Response

from backend.jobs.service import JobService
from backend.services import Services
from studio.errors import Conflict, JobNotFound
from studio.jobs import Job, JobState

IdempotencyKey = Annotated[
    str | None,
    Header(alias="Idempotency-Key", description="The same key and body again return the same job or answer."),
]

REPLAYED = "Idempotency-Replayed"

GUARDRAIL = "X-Orrery-Guardrail"
"""Whether the words of a request were checked: the job's `guardrail`."""


async def submitted(
    parts: Services, payload: Mapping[str, Any], key: str | None, response: Response | None = None, **options: Any
) -> tuple[Job, bool]:
    """The job for a payload, and whether it was asked for before; the answer's headers say so too."""
    job, replayed = await parts.ledger.idempotency_keys.once(
        key, payload, lambda job_id: parts.fleet.jobs.submit(payload, job_id=job_id, **options)
    )
    if response is not None:
        response.headers.update(told_of(job, replayed))
    return job, replayed


def told_of(job: Job, replayed: bool) -> dict[str, str]:
    """Headers of an answer about a job that was handed in."""
    headers = {REPLAYED: "true"} if replayed else {}
    return headers | ({GUARDRAIL: job.guardrail} if job.guardrail else {})


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
        raise Conflict("The request was cancelled by the client.", hint="Send the request again.")
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
        raise Conflict("The request was cancelled by the client.", hint="Send the request again.")
    finally:
        gone.cancel()
        if not working.done():
            working.cancel()
            await asyncio.wait({working})


async def hung_up(request: Request) -> None:
    """Returns when the caller has left. The body has been read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
