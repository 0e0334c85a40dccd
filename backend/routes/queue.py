"""`/v1/queue`, `/v1/batches`, `/v1/estimates`: the order of jobs, many at once, and how long they take."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body

from backend.errors import documented
from backend.services import Parts
from studio.errors import BadInput, CheckpointNotFound, Conflict, DiskFull, JobNotFound, MediaNotFound, NotAllowed
from studio.queue import Batch, BatchRequest, Estimate, EstimateRequest, QueueStatus

router = APIRouter(prefix="/v1", tags=["queue"])

IMAGE = {"kind": "generate_image", "prompt": "A robot arm above a red cube.", "resolution": "256"}
BATCH = {"request": IMAGE, "axes": {"sampling.seed": [1, 2, 3], "aspect_ratio": ["1:1", "16:9"]}}


@router.get("/queue")
async def status(parts: Parts) -> QueueStatus:
    """How many jobs wait and run, how long that takes by what was measured, and whether anything is started."""
    return await parts.queue.status()


@router.post("/queue/pause")
async def pause(parts: Parts) -> QueueStatus:
    """Start nothing until somebody resumes. What runs goes on; jobs are accepted; a restart does not resume."""
    return await parts.queue.set_paused(True)


@router.post("/queue/resume")
async def resume(parts: Parts) -> QueueStatus:
    """Start jobs again."""
    return await parts.queue.set_paused(False)


@router.delete("/queue")
async def clear(parts: Parts) -> QueueStatus:
    """Cancel everything that is queued. What runs goes on."""
    return await parts.queue.clear()


@router.post(
    "/batches",
    status_code=202,
    responses=documented(BadInput, NotAllowed, CheckpointNotFound, MediaNotFound, Conflict, DiskFull),
)
async def submit_batch(asked: Annotated[BatchRequest, Body(examples=[BATCH])], parts: Parts) -> Batch:
    """Queue many requests, or one with every combination of some values: all of them, or none."""
    return await parts.queue.submit_batch(asked)


@router.get("/batches/{batch_id}", responses=documented(JobNotFound))
async def batch(batch_id: str, parts: Parts) -> Batch:
    """The jobs of a batch as they are now, in their order."""
    return await parts.queue.batch(batch_id)


@router.delete("/batches/{batch_id}", responses=documented(JobNotFound))
async def cancel_batch(batch_id: str, parts: Parts) -> Batch:
    """Cancel what has not ended of a batch."""
    return await parts.queue.cancel_batch(batch_id)


@router.post("/estimates", responses=documented(BadInput, NotAllowed, CheckpointNotFound, Conflict))
async def estimate(asked: Annotated[EstimateRequest, Body(examples=[{"request": IMAGE}])], parts: Parts) -> Estimate:
    """How long a request would take, by jobs like it that have run here, and how long it would wait."""
    return await parts.queue.estimate(asked.request)
