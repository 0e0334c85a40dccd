"""`/v1/jobs/{id}/round-trip`: the actions of a predicted video, found in it again, and how far they are off."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Response

from backend.errors import documented
from backend.evaluation.generating import JSON_MIME
from backend.evaluation.measuring import read_actions
from backend.jobs.service import JobService
from backend.routes.job_call import submitted
from backend.services import Parts, UsesJobs, UsesMedia
from studio.errors import BadInput, CheckpointNotFound, Conflict, JobNotFound, MediaNotFound, NotAllowed
from studio.evaluation.generations import return_trip
from studio.evaluation.round_trips import RoundTrip, round_trip
from studio.jobs import Job
from studio.requests.actions import PredictActions, PredictVideo

router = APIRouter(prefix="/v1/jobs", tags=["jobs"])

Predicted = Annotated[str, Path(examples=["5b3090214d6b"])]
Estimated = Annotated[str, Path(examples=["77c1e0a94b2f"])]


@router.post(
    "/{job_id}/round-trip",
    status_code=202,
    responses=documented(JobNotFound, BadInput, Conflict, NotAllowed, CheckpointNotFound, MediaNotFound),
)
async def begin(job_id: Predicted, response: Response, parts: Parts) -> Job:
    """Estimate the actions from the video of a `predict_video` job, with its model, embodiment, prompt and seed."""
    job, predicted = await _predicted(parts.fleet.jobs, job_id)
    video = next(result.id for result in job.results if result.type == "video")
    estimation, _ = await submitted(parts, return_trip(predicted, video), None, response)
    return estimation


@router.get("/{job_id}/round-trip/{estimation_id}", responses=documented(JobNotFound, BadInput, Conflict))
async def compare(job_id: Predicted, estimation_id: Estimated, jobs: UsesJobs, store: UsesMedia) -> RoundTrip:
    """Compare the actions that a job was given with those that another one found in its video, by step and value."""
    job, predicted = await _predicted(jobs, job_id)
    estimation = await jobs.get(estimation_id)
    videos = {result.id for result in job.results}
    if not isinstance(estimation.request, PredictActions) or estimation.request.source_video not in videos:
        raise BadInput(f"Job {estimation_id} does not estimate actions from the video of job {job_id}.")
    found = next((result.id for result in estimation.results if result.mime == JSON_MIME), None)
    if found is None:
        raise Conflict(f"Job {estimation_id} is {estimation.state} and has no actions yet.")
    rows = read_actions(store.file(found))
    return round_trip(predicted, tuple(tuple(row) for row in rows.tolist()))


async def _predicted(jobs: JobService, job_id: str) -> tuple[Job, PredictVideo]:
    job = await jobs.get(job_id)
    if not isinstance(job.request, PredictVideo):
        raise BadInput(f"Job {job_id} is a {job.request.kind}; expected predict_video.")
    if not any(result.type == "video" for result in job.results):
        raise Conflict(f"Job {job_id} is {job.state} and has no video yet.", hint="Wait until it has succeeded.")
    return job, job.request
