"""A job as OpenAI's videos API shows it, with what vLLM-Omni and SGLang add: sizes, times, actions, real progress."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal, cast

from pydantic import BaseModel

from backend.dialects.video_fields import ACTION_MODES
from studio.jobs import Job, JobState
from studio.media import MediaReference
from studio.requests import ActionRequest, Request, kind_of, made_by
from studio.requests.embodiments import EMBODIMENTS
from studio.rules import canvas_of

STATUS: dict[JobState, Literal["queued", "in_progress", "completed", "failed"]] = {
    JobState.QUEUED: "queued",
    JobState.RUNNING: "in_progress",
    JobState.SUCCEEDED: "completed",
    JobState.FAILED: "failed",
    JobState.CANCELLED: "failed",
}

MODES = {kind: mode for mode, kind in ACTION_MODES.items()}


class VideoError(BaseModel):
    """Why it came to nothing."""

    code: str
    message: str


class ActionData(BaseModel):
    """Actions: `data` is vLLM-Omni's name of the rows, `values` SGLang's."""

    type: Literal["continuous"] = "continuous"
    data: list[list[float]]
    values: list[list[float]]
    shape: tuple[int, int]
    dtype: Literal["float32"] = "float32"
    raw_action_dim: int
    action_mode: str
    domain_id: int
    domain_name: str
    fps: float


class StudioFields(BaseModel):
    """What only we have to say: `GET /v1/jobs/{job}` has all of it."""

    job: str
    kind: str
    state: JobState
    step: int
    steps: int
    seconds_left: float | None
    waiting_for: str | None
    results: list[str]


class Video(BaseModel):
    """One job. `seconds` is a text, as OpenAI has it."""

    id: str
    object: Literal["video"] = "video"
    status: Literal["queued", "in_progress", "completed", "failed"]
    progress: int
    created_at: int
    completed_at: int | None = None
    expires_at: int | None = None
    model: str
    prompt: str
    revised_prompt: str | None = None
    seconds: str
    size: str
    quality: str = "default"
    remixed_from_video_id: str | None = None
    error: VideoError | None = None
    media_type: str | None = None
    file_name: str | None = None
    url: str | None = None
    num_outputs: int
    inference_time_s: float | None = None
    fps: float | None = None
    num_frames: int | None = None
    duration_s: float | None = None
    stage_durations: dict[str, float] = {}
    peak_memory_mb: float | None = None
    action: ActionData | None = None
    b64_json: str | None = None
    studio: StudioFields


class VideoList(BaseModel):
    """One page of OpenAI's list."""

    object: Literal["list"] = "list"
    data: list[Video]
    first_id: str | None
    last_id: str | None
    has_more: bool


class VideoDeleted(BaseModel):
    """What a deletion answers."""

    id: str
    deleted: Literal[True] = True
    object: Literal["video.deleted"] = "video.deleted"


def to_video(job: Job, base_url: str, action: ActionData | None = None) -> Video:
    """Their answer for a job.

    Args:
        base_url: this server's address as the caller knows it, without a final slash.
        action: what `to_action` made of its actions.
    """
    request = job.request
    shown = shown_results(job)
    first = shown[0] if shown else None
    written_from = getattr(request, "written_from", None)
    num_frames, fps = _length(request)
    if first is not None:
        num_frames, fps = first.num_frames, first.fps
    duration_s = num_frames / fps if num_frames and fps else None
    took_s = (job.finished_at - job.started_at).total_seconds() if job.finished_at and job.started_at else None
    return Video(
        id=job.id,
        status=STATUS[job.state],
        progress=_percent(job),
        created_at=int(job.created_at.timestamp()),
        completed_at=int(job.finished_at.timestamp()) if job.finished_at and job.state is JobState.SUCCEEDED else None,
        model=job.checkpoint,
        prompt=written_from or request.prompt,
        revised_prompt=request.prompt if written_from else None,
        seconds=f"{duration_s:g}" if duration_s else "0",
        size=_size(request, first),
        error=_error(job),
        media_type=first.mime if first else None,
        file_name=f"{job.id}.{'png' if first.type == 'image' else 'mp4'}" if first else None,
        url=f"{base_url}/v1/videos/{job.id}/content" if first else None,
        num_outputs=request.count,
        inference_time_s=took_s,
        fps=fps,
        num_frames=num_frames,
        duration_s=duration_s,
        action=action,
        studio=StudioFields(
            job=job.id,
            kind=job.kind,
            state=job.state,
            step=job.progress.step,
            steps=job.progress.steps,
            seconds_left=job.progress.seconds_left,
            waiting_for=job.waiting_for,
            results=[f"{base_url}{result.url}" for result in job.results],
        ),
    )


def shown_results(job: Job) -> list[MediaReference]:
    """The clips of a job, or its pictures: one for each of `num_outputs`, and none where only actions were made."""
    return [result for result in job.results if result.type in ("image", "video")]


def action_results(job: Job) -> list[MediaReference]:
    """The JSON files of a job's actions, one for each of `num_outputs`."""
    return [result for result in job.results if result.type == "actions" and result.mime == "application/json"]


def to_action(request: Request, text: str | bytes) -> ActionData:
    """Their form of our file of actions."""
    assert isinstance(request, ActionRequest)
    written = cast(Mapping[str, Any], json.loads(text))
    rows: list[list[float]] = written["actions"]
    return ActionData(
        data=rows,
        values=rows,
        shape=(len(rows), len(rows[0])),
        raw_action_dim=len(rows[0]),
        action_mode=MODES[cast(str, getattr(request, "kind"))],  # noqa: B009 - the base has no kind
        domain_id=EMBODIMENTS[request.embodiment].domain,
        domain_name=request.embodiment,
        fps=request.fps,
    )


def _percent(job: Job) -> int:
    if job.state is JobState.SUCCEEDED:
        return 100
    return min(99, 100 * job.progress.step // max(job.progress.steps, 1))


def _error(job: Job) -> VideoError | None:
    if job.state is JobState.CANCELLED:
        return VideoError(code="cancelled", message="The job was cancelled.")
    if job.error is None:
        return None
    return VideoError(code=job.error.code, message=f"{job.error.message} {job.error.hint}".rstrip())


def _length(request: Request) -> tuple[int | None, float | None]:
    """Frames, and frames per second, of what was asked for."""
    kind, made, said = kind_of(request), made_by(request), cast("Any", request)
    if "image" in made:
        return None, None
    if not kind.acts:
        return said.num_frames, said.fps
    is_seen = "video" in made or any(taken.type == "video" for taken in kind.takes.values())
    return said.num_actions + 1 if is_seen else None, said.fps


def _size(request: Request, first: MediaReference | None) -> str:
    if first is not None:
        return f"{first.width}x{first.height}"
    known = canvas_of(request)
    return f"{known[0]}x{known[1]}" if known else ""
