"""One job from its request to its result, and what the library knows of it: the bricks of what is answered."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from backend.examples.calls import JOB, MEDIA
from studio.jobs import Job, JobState, Progress
from studio.library import LibraryItem
from studio.media import MediaReference
from studio.requests import GenerateImage, GenerateVideo, Request, RunPolicy, Sampling, VideoSampling
from studio.requests.actions import ActionSampling

BASE_URL = "http://127.0.0.1:7860"
BEGAN = datetime(2026, 11, 21, 20, 58, 1, tzinfo=UTC)
TOOK = timedelta(seconds=6)
SHA256 = "139bd30e1d3068ea1faeceb29df16e0546aa74e9dbbba44b30b21059de4fe325"

PICTURE_REQUEST = GenerateImage(
    prompt="A robot arm above a red cube on a wooden table.", sampling=Sampling(num_inference_steps=20, seed=7)
)
CLIP_REQUEST = GenerateVideo(
    prompt="A robot arm lifts a red cube from a wooden table.",
    aspect_ratio="1:1",
    resolution="256",
    num_frames=17,
    sampling=VideoSampling(num_inference_steps=10, seed=7),
)
POLICY_REQUEST = RunPolicy(
    prompt="Lift the red cube.",
    embodiment="umi",
    start_image=MEDIA,
    num_actions=4,
    decode_video=False,
    sampling=ActionSampling(num_inference_steps=6, seed=7),
)


def queued(request: Request) -> Job:
    """A job that was just accepted."""
    return Job(
        id=JOB,
        kind=request.kind,
        state=JobState.QUEUED,
        checkpoint="speck",
        request=request,
        progress=Progress(steps=request.sampling.num_inference_steps),
        created_at=BEGAN,
        number=12,
        position=2**32,
        guardrail="not_installed",
    )


def running(request: Request) -> Job:
    """One in its last step but one."""
    steps = request.sampling.num_inference_steps
    progress = Progress(phase="denoising", step=steps - 1, steps=steps, seconds_left=0.6)
    return queued(request).model_copy(update={"state": JobState.RUNNING, "started_at": BEGAN, "progress": progress})


def done(request: Request, *results: MediaReference) -> Job:
    """One that has succeeded."""
    steps = request.sampling.num_inference_steps
    return running(request).model_copy(
        update={
            "state": JobState.SUCCEEDED,
            "progress": Progress(phase="ended", step=steps, steps=steps),
            "finished_at": BEGAN + TOOK,
            "end_number": 12,
            "results": results,
        }
    )


UPLOAD = MediaReference(
    id=MEDIA,
    type="image",
    mime="image/png",
    width=256,
    height=256,
    size_bytes=143_528,
    sha256=SHA256,
    url=f"/v1/media/{MEDIA}",
    thumbnail_url=f"/v1/media/{MEDIA}/thumbnail",
)
PICTURE = UPLOAD.model_copy(
    update={
        "id": f"{JOB}-0",
        "seed": 7,
        "url": f"/v1/media/{JOB}-0",
        "thumbnail_url": f"/v1/media/{JOB}-0/thumbnail",
    }
)
CLIP = PICTURE.model_copy(
    update={
        "type": "video",
        "mime": "video/mp4",
        "num_frames": 17,
        "fps": 24.0,
        "duration_s": 17 / 24,
        "has_sound": False,
        "size_bytes": 475_213,
    }
)

WAITING, RUNNING, DONE = queued(PICTURE_REQUEST), running(PICTURE_REQUEST), done(PICTURE_REQUEST, PICTURE)
CANCELLED = WAITING.model_copy(
    update={
        "state": JobState.CANCELLED,
        "progress": WAITING.progress.model_copy(update={"phase": "ended"}),
        "finished_at": BEGAN + TOOK,
        "end_number": 12,
    }
)
CLIP_DONE = done(CLIP_REQUEST, CLIP)

ITEM = LibraryItem(
    id=PICTURE.id,
    job_id=JOB,
    kind="generate_image",
    type="image",
    mime="image/png",
    width=256,
    height=256,
    size_bytes=PICTURE.size_bytes,
    seed=7,
    checkpoint="speck",
    prompt=PICTURE_REQUEST.prompt,
    starred=True,
    tags=("table",),
    created_at=BEGAN + TOOK,
    url=PICTURE.url,
    thumbnail_url=PICTURE.thumbnail_url,
)
