"""`/v1/images/generations` in OpenAI's form: one call, one answer, and a job like any other behind it."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import structlog
from fastapi import APIRouter, Body, Request
from starlette.concurrency import run_in_threadpool

from backend.dialects.openai_images import ImagesAnswer, to_answer, to_payload
from backend.errors import documented
from backend.routes.hanging_up import hung_up
from backend.services import Parts, Services
from studio.errors import BadInput, Conflict, EngineError, JobNotFound, NotAllowed
from studio.jobs import Job, JobState

router = APIRouter(prefix="/v1/images", tags=["openai"])
log = structlog.get_logger("orrery.images")

EXAMPLE = {"prompt": "A robot arm above a red cube.", "size": "256x256", "n": 1, "response_format": "b64_json"}


@router.post("/generations", responses=documented(BadInput, NotAllowed, Conflict, EngineError))
async def generate(
    body: Annotated[dict[str, Any], Body(examples=[EXAMPLE])], request: Request, parts: Parts
) -> ImagesAnswer:
    """Make images and wait for them; who hangs up cancels the job."""
    payload, response_format = to_payload(body)
    job = await parts.jobs.submit(payload)
    job = await _finished_or_abandoned(job, request, parts)
    if job.state is JobState.CANCELLED:
        raise Conflict(f"Job {job.id} was cancelled.", hint="Send the request again.")
    if job.error is not None:
        raise job.error.error()
    if response_format == "url":
        return to_answer(job, None, str(request.base_url).rstrip("/"))
    files = [parts.media.file(result.id) for result in job.results]
    pictures = await run_in_threadpool(lambda: [file.read_bytes() for file in files])
    return to_answer(job, pictures, "")


async def _finished_or_abandoned(job: Job, request: Request, parts: Services) -> Job:
    finished = asyncio.create_task(parts.jobs.finished(job.id))
    gone = asyncio.create_task(hung_up(request))
    done, _ = await asyncio.wait({finished, gone}, return_when=asyncio.FIRST_COMPLETED)
    gone.cancel()
    if finished in done:
        return finished.result()
    finished.cancel()
    log.info("caller_left", job_id=job.id)
    try:
        return await parts.jobs.cancel(job.id)
    except (Conflict, JobNotFound):
        return await parts.jobs.get(job.id)
