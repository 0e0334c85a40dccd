"""`/v1/jobs`: ask for something, follow it, end it; `/v1/queue`, `/v1/batches`: many at once and their order."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Annotated, Any, cast

from fastapi import APIRouter, Body, Path, Query, Response
from fastapi.responses import StreamingResponse

from backend.errors import documented
from backend.routes.connections import kept_alive
from backend.routes.job_call import IdempotencyKey, submitted
from backend.services import Parts, UsesJobs, UsesQueue
from studio.catalogue import JobList
from studio.errors import BadInput, CheckpointNotFound, Conflict, DiskFull, JobNotFound, MediaNotFound, NotAllowed
from studio.jobs import Job, JobState, Priority
from studio.queue import Batch, BatchRequest, DuplicateJob, Estimate, EstimateRequest, JobChange, MoveJob, QueueStatus
from studio.requests import KINDS, shown


def request_body() -> dict[str, Any]:
    """OpenAPI's `requestBody`."""
    schemas = {name: inlined(kind.model.model_json_schema()) for name, kind in KINDS.items()}
    examples = {
        name: {"summary": name, "value": {"kind": name, **example}}
        for name, schema in schemas.items()
        for example in schema.pop("examples", ())
    }
    content = {"schema": {"oneOf": list(schemas.values())}, "examples": examples}
    return {"required": True, "content": {"application/json": content}}


def inlined(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema with its own definitions put where they are referred to; none of ours refers to itself."""
    definitions = schema.get("$defs", {})

    def resolved(node: object) -> object:
        if isinstance(node, dict):
            entries = cast(dict[str, object], node)
            reference = entries.get("$ref")
            if isinstance(reference, str):
                beside = {name: value for name, value in entries.items() if name != "$ref"}
                return {**cast(dict[str, object], resolved(definitions[reference.rpartition("/")[2]])), **beside}
            return {name: resolved(value) for name, value in entries.items() if name != "$defs"}
        if isinstance(node, list):
            return [resolved(value) for value in cast(list[object], node)]
        return node

    return cast(dict[str, Any], resolved(dict(schema)))


router = APIRouter(prefix="/v1/jobs", tags=["jobs"])

JobId = Annotated[str, Path(examples=["5b3090214d6b"])]


@router.post(
    "",
    status_code=202,
    responses=documented(BadInput, NotAllowed, CheckpointNotFound, MediaNotFound, Conflict, DiskFull),
    openapi_extra={"requestBody": request_body()},
)
async def submit(
    payload: Annotated[dict[str, Any], Body()],
    response: Response,
    parts: Parts,
    priority: Priority = "normal",
    key: IdempotencyKey = None,
) -> Job:
    """Queue a request. Omitted fields come from the loaded checkpoint's preset; the answer has all fields.

    Besides the request's fields, `guardrails` sets whether the guardrail checks it.
    """
    said = {name: value for name, value in payload.items() if name != "guardrails"}
    guardrails = payload.get("guardrails")
    if guardrails is not None and not isinstance(guardrails, bool):
        raise BadInput(f"guardrails is {shown(guardrails)}; expected true or false.", param="guardrails")
    job, _ = await submitted(parts, said, key, response, priority=priority, guardrails=guardrails)
    return job


@router.get("", responses=documented(BadInput))
async def newest(
    jobs: UsesJobs,
    limit: Annotated[int, Query(ge=1, le=1000)] = 50,
    state: JobState | None = None,
    cursor: str | None = None,
) -> JobList:
    """List jobs, newest first; send `next_cursor` of a page as `cursor` for the next page."""
    return await jobs.newest(limit, state, cursor)


@router.get("/{job_id}", response_model=Job, responses=documented(JobNotFound))
async def get(job_id: JobId, jobs: UsesJobs) -> Response:
    """Get the current state of a job."""
    # Many ask again and again: it is encoded once for each of its changes, and not validated on its way out.
    return Response(await jobs.encoded(job_id), media_type="application/json")


@router.delete("/{job_id}", responses=documented(JobNotFound, Conflict))
async def cancel(job_id: JobId, jobs: UsesJobs) -> Job:
    """Cancel a job: a queued one at once, a running one after its current denoising step."""
    return await jobs.cancel(job_id)


@router.post("/{job_id}/stop", responses=documented(JobNotFound, Conflict))
async def stop(job_id: JobId, jobs: UsesJobs) -> Job:
    """Stop a running job early and keep its result: it succeeds, with `stopped_at_step`."""
    return await jobs.stop(job_id)


@router.post("/{job_id}/retry", responses=documented(JobNotFound, MediaNotFound, Conflict, BadInput))
async def retry(job_id: JobId, jobs: UsesJobs) -> Job:
    """Queue a failed or cancelled job again, with the same seed. Its input media must still exist."""
    return await jobs.retry(job_id)


@router.patch("/{job_id}", responses=documented(BadInput, JobNotFound, Conflict))
async def change(
    job_id: JobId, change: Annotated[JobChange, Body(examples=[{"priority": "high"}])], queue: UsesQueue
) -> Job:
    """Change a queued job's priority; it moves behind the last job of that priority."""
    return await queue.set_priority(job_id, change.priority)


@router.post("/{job_id}/move", responses=documented(BadInput, JobNotFound, Conflict))
async def move(
    job_id: JobId, asked: Annotated[MoveJob, Body(examples=[{"before": "0c1d2e3f4a5b"}])], queue: UsesQueue
) -> Job:
    """Move a queued job before another queued job, or to the end; its priority does not change."""
    return await queue.move(job_id, asked.before)


@router.post(
    "/{job_id}/duplicate",
    status_code=202,
    responses=documented(BadInput, NotAllowed, JobNotFound, CheckpointNotFound, MediaNotFound, Conflict, DiskFull),
)
async def duplicate(
    job_id: JobId,
    jobs: UsesJobs,
    asked: Annotated[DuplicateJob | None, Body(examples=[{"changes": {"sampling": {"seed": 8}}}])] = None,
) -> Job:
    """Queue a job's request again with some fields changed, also nested ones; omitted fields stay the same."""
    return await jobs.duplicate(job_id, asked.changes if asked else {})


@router.get(
    "/{job_id}/events",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}}, **documented(JobNotFound)},
)
async def events(job_id: JobId, jobs: UsesJobs) -> StreamingResponse:
    """Server-sent events: `event: job` with the whole job, now and at every change, until it has ended."""
    await jobs.get(job_id)

    async def stream() -> AsyncIterator[str]:
        async for job in jobs.follow(job_id):
            yield f"event: job\ndata: {job.model_dump_json()}\n\n"

    return StreamingResponse(
        kept_alive(stream()), media_type="text/event-stream", headers={"cache-control": "no-store"}
    )


queue_router = APIRouter(prefix="/v1", tags=["queue"])

BatchId = Annotated[str, Path(examples=["7f21c09be4aa"])]

IMAGE = {"kind": "generate_image", "prompt": "A robot arm above a red cube.", "resolution": "256"}
BATCH = {"request": IMAGE, "axes": {"sampling.seed": [1, 2, 3], "aspect_ratio": ["1:1", "16:9"]}}


@queue_router.get("/queue")
async def status(queue: UsesQueue) -> QueueStatus:
    """Get the number of queued and running jobs, the estimated time, and whether the queue is paused."""
    return await queue.status()


@queue_router.post("/queue/pause")
async def pause(queue: UsesQueue) -> QueueStatus:
    """Pause the queue. Running jobs continue, new jobs are accepted, and a restart does not resume it."""
    return await queue.set_paused(True)


@queue_router.post("/queue/resume")
async def resume(queue: UsesQueue) -> QueueStatus:
    """Resume the queue."""
    return await queue.set_paused(False)


@queue_router.delete("/queue")
async def clear(queue: UsesQueue) -> QueueStatus:
    """Cancel all queued jobs. Running jobs continue."""
    return await queue.clear()


@queue_router.post(
    "/batches",
    status_code=202,
    responses=documented(BadInput, NotAllowed, CheckpointNotFound, MediaNotFound, Conflict, DiskFull),
)
async def submit_batch(asked: Annotated[BatchRequest, Body(examples=[BATCH])], queue: UsesQueue) -> Batch:
    """Queue many requests, or one request with every combination of some values. Either all are queued or none."""
    return await queue.submit_batch(asked)


@queue_router.get("/batches/{batch_id}", responses=documented(JobNotFound))
async def batch(batch_id: BatchId, queue: UsesQueue) -> Batch:
    """Get the current state of a batch's jobs, in order."""
    return await queue.batch(batch_id)


@queue_router.delete("/batches/{batch_id}", responses=documented(JobNotFound))
async def cancel_batch(batch_id: BatchId, queue: UsesQueue) -> Batch:
    """Cancel the jobs of a batch that have not ended."""
    return await queue.cancel_batch(batch_id)


@queue_router.post("/estimates", responses=documented(BadInput, NotAllowed, CheckpointNotFound, Conflict))
async def estimate(
    asked: Annotated[EstimateRequest, Body(examples=[{"request": IMAGE}])], queue: UsesQueue
) -> Estimate:
    """Estimate how long a request would take and wait, from similar jobs on this machine."""
    return await queue.estimate(asked.request)
