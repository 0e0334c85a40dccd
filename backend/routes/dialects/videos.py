"""`/v1/videos` in OpenAI's form and the dialects of vLLM-Omni and SGLang: a job like any other behind it."""

from __future__ import annotations

import asyncio
import base64
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import Response

from backend.dialects.openai_video_answers import (
    ActionData,
    Video,
    VideoDeleted,
    VideoList,
    action_results,
    shown_results,
    to_action,
    to_video,
)
from backend.errors import documented
from backend.media.file_names import mime_of
from backend.routes.dialects.video_call import BODY, EXTENSION, submit_extension, submit_video
from backend.routes.job_call import IdempotencyKey, outcome, told_of
from backend.routes.media import serve_file
from backend.services import Parts, Services
from studio.errors import (
    BadInput,
    CheckpointNotFound,
    Conflict,
    DiskFull,
    EngineError,
    JobNotFound,
    MediaNotFound,
    NotAllowed,
    NotImplementedHere,
    TooLarge,
)
from studio.jobs import Job, JobState

router = APIRouter(prefix="/v1/videos", tags=["openai"])

VideoId = Annotated[str, Path(examples=["5b3090214d6b"])]

REFUSALS = (BadInput, NotAllowed, CheckpointNotFound, MediaNotFound, Conflict, TooLarge, DiskFull)
SYNC_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"description": "The video, or JSON with its actions.", "content": {"video/mp4": {}}}
}


@router.post("", responses=documented(*REFUSALS), openapi_extra={"requestBody": BODY})
async def create(request: Request, response: Response, parts: Parts, key: IdempotencyKey = None) -> Video:
    """Queue a video or actions: text, image or video to video, transfer, forward and inverse dynamics, policy."""
    job, replayed = await submit_video(request, parts, key)
    response.headers.update(told_of(job, replayed))
    return to_video(job, _base(request))


@router.post("/extensions", responses=documented(*REFUSALS), openapi_extra={"requestBody": EXTENSION})
async def extend(request: Request, response: Response, parts: Parts, key: IdempotencyKey = None) -> Video:
    """Continue a video: queue a new one that begins with the last five frames of `video`, with the same fields."""
    job, replayed = await submit_extension(request, parts, key)
    response.headers.update(told_of(job, replayed))
    return to_video(job, _base(request))


@router.post(
    "/sync",
    response_model=Video,
    responses={**SYNC_ANSWERS, **documented(*REFUSALS, EngineError)},
    openapi_extra={"requestBody": BODY},
)
async def create_and_wait(request: Request, parts: Parts, key: IdempotencyKey = None) -> Response:
    """Generate and wait: returns the video, or JSON on request and for actions. Disconnecting cancels it."""
    job, replayed = await submit_video(request, parts, key)
    job = await outcome(job, request, parts.fleet.jobs, shared=replayed)
    base = _base(request)
    headers = _sync_headers(job, base) | told_of(job, replayed)
    made = shown_results(job)
    accepted = request.headers.get("accept", "")
    wants_bytes = "video/" in accepted or "image/" in accepted
    if made and (wants_bytes or (not action_results(job) and "application/json" not in accepted)):
        path = parts.ledger.media.file(made[0].id)
        served = serve_file(path, mime_of(path), request)
        served.headers.update(headers)
        return served
    video = to_video(job, base, await _action(job, parts))
    if made:
        content = await asyncio.to_thread(parts.ledger.media.file(made[0].id).read_bytes)
        video.b64_json = base64.b64encode(content).decode()
    return Response(video.model_dump_json(), media_type="application/json", headers=headers)


@router.get("", responses=documented(BadInput))
async def newest(
    request: Request,
    parts: Parts,
    after: Annotated[str | None, Query(max_length=100)] = None,
    limit: Annotated[int, Query(ge=0, le=100)] = 20,
    order: Literal["asc", "desc"] = "desc",
) -> VideoList:
    """List videos, newest first; actions are included only when getting one video."""
    ids, has_more = await parts.ledger.videos.page(after, limit, ascending=order == "asc")
    data = [to_video(await parts.fleet.jobs.get(job_id), _base(request)) for job_id in ids]
    return VideoList(
        data=data, first_id=ids[0] if ids else None, last_id=ids[-1] if ids else None, has_more=has_more and limit > 0
    )


@router.get("/{video_id}", responses=documented(JobNotFound))
async def get(video_id: VideoId, request: Request, parts: Parts) -> Video:
    """Get the current state of a video, with its actions when they are done. `status` shows a failure."""
    job = await _job(video_id, parts)
    return to_video(job, _base(request), await _action(job, parts))


@router.delete("/{video_id}", responses=documented(JobNotFound))
async def delete(video_id: VideoId, parts: Parts) -> VideoDeleted:
    """Cancel a video if it has not ended, and remove it from this list; its results move to the library's trash."""
    job = await _job(video_id, parts)
    if not job.state.ended:
        try:
            job = await parts.fleet.jobs.cancel(video_id)
        except Conflict:  # it has just ended by itself
            job = await parts.fleet.jobs.get(video_id)
    await parts.ledger.videos.delete(video_id)
    if job.results:
        await parts.library.items.trash([result.id for result in job.results])
    return VideoDeleted(id=video_id)


@router.get(
    "/{video_id}/content",
    response_class=Response,
    responses={200: {"content": {"video/mp4": {}, "image/webp": {}}}, **documented(JobNotFound, BadInput)},
)
async def content(
    video_id: VideoId, request: Request, parts: Parts, variant: Annotated[str, Query(max_length=20)] = "video"
) -> Response:
    """Download a video: `variant` is video, thumbnail or spritesheet, or the index of one of several outputs."""
    job = await _job(video_id, parts)
    if job.state in (JobState.FAILED, JobState.CANCELLED):
        why = job.error.message if job.error else "It was cancelled."
        raise BadInput(f"Video {video_id} was not made: {why}", hint="Submit it again.")
    made = shown_results(job)
    if not job.state.ended:
        raise MediaNotFound(f"Video {video_id} is {job.state}; there is no content yet.", hint="Check its status.")
    if not made:
        raise MediaNotFound(
            f"Video {video_id} has only actions.", hint="Read them from `action` of GET /v1/videos/{id}."
        )
    if variant == "thumbnail":
        return serve_file(parts.ledger.media.thumbnail(made[0].id), "image/webp", request)
    if variant == "spritesheet":
        path, _ = await parts.library.sheets.sheet(made[0].id)
        return serve_file(path, "image/webp", request)
    index = 0 if variant == "video" else int(variant) if variant.isascii() and variant.isdigit() else -1
    if not 0 <= index < len(made):
        raise BadInput(
            f"variant is {variant!r}; video, thumbnail, spritesheet or 0 to {len(made) - 1} expected.",
            param="variant",
        )
    path = parts.ledger.media.file(made[index].id)
    return serve_file(path, mime_of(path), request)


@router.post("/{video_id}/remix", status_code=501, responses=documented(NotImplementedHere))
async def remix(video_id: VideoId) -> None:
    """Not supported: use `input_reference` to continue a video, or a control to follow it."""
    raise NotImplementedHere(
        "Remixing is not supported.", hint="Send the video as input_reference, with a control such as edge: true."
    )


@router.post("/edits", status_code=501, responses=documented(NotImplementedHere))
async def edits() -> None:
    """Not supported: see remix."""
    raise NotImplementedHere("Video edits are not supported.", hint="Send the video as input_reference.")


@router.post("/characters", status_code=501, responses=documented(NotImplementedHere))
async def characters() -> None:
    """Not supported: Cosmos 3 has no characters."""
    raise NotImplementedHere("Characters are not supported.", hint="Start from an image: input_reference.")


def _base(request: Request) -> str:
    return str(request.base_url).rstrip("/")


async def _job(video_id: VideoId, parts: Services) -> Job:
    job = await parts.fleet.jobs.get(video_id)
    if await parts.ledger.videos.is_deleted(video_id):
        raise JobNotFound(f"There is no video {video_id[:80]!r}.", hint="GET /v1/videos lists them.")
    return job


async def _action(job: Job, parts: Services) -> ActionData | None:
    found = action_results(job)
    if not found:
        return None
    try:
        path = parts.ledger.media.file(found[0].id)
        return to_action(job.request, await asyncio.to_thread(path.read_bytes))
    except (MediaNotFound, FileNotFoundError):  # it was erased in the library
        return None


def _sync_headers(job: Job, base: str) -> dict[str, str]:
    took_s = (job.finished_at - job.started_at).total_seconds() if job.finished_at and job.started_at else 0.0
    headers = {
        "X-Request-Id": job.id,
        "X-Video-Id": job.id,
        "X-Model": job.checkpoint,
        "X-Inference-Time-S": f"{took_s:.3f}",
        "X-Stage-Durations": "{}",
    }
    actions = action_results(job)
    return headers | ({"X-Action-Url": f"{base}{actions[0].url}"} if actions else {})
