"""Controls are seen, fetched and used before any GPU time is spent on them."""

import asyncio
import io
from collections.abc import Callable
from typing import Any

import av
import httpx
import numpy as np
import pytest
from PIL import Image

from backend.media import compute_control
from backend.media.pictures import Cover
from running import RunningServer, wait_for
from studio.client import StudioClient
from studio.requests.transfer_video import ComputeControl

CANVAS = {"resolution": "256", "aspect_ratio": "9:16"}


@pytest.fixture(scope="module")
def source(make_clip: Callable[..., bytes], upload: Callable[[bytes], str]) -> str:
    return upload(make_clip(9, 160, 120, 12))


def grey_of(content: bytes) -> np.ndarray:
    with av.open(io.BytesIO(content)) as clip:
        return np.stack([frame.to_ndarray(format="rgb24") for frame in clip.decode(video=0)])


@pytest.mark.parametrize(("hint", "strength"), [("edge", "very_low"), ("blur", "medium")])
def test_one_frame_is_shown_exactly_as_the_model_will_see_it(
    server: RunningServer, source: str, hint: Any, strength: Any
):
    answer = server.get(f"/v1/media/{source}/control", params={"hint": hint, "strength": strength, "at": 0.5, **CANVAS})

    assert answer.headers["content-type"] == "image/png"
    shown = np.asarray(Image.open(io.BytesIO(answer.content)))
    middle = grey_of(server.get(f"/v1/media/{source}").content)[4]
    assert np.array_equal(shown, compute_control(Cover(160, 120, 192, 320)(middle), hint, strength))


@pytest.mark.parametrize(
    ("change", "param"),
    [
        ({"hint": "wsm"}, "hint"),
        ({"hint": None}, "hint"),
        ({"strength": "extreme"}, "strength"),
        ({"resolution": "768"}, "resolution"),
        ({"aspect_ratio": "2:1"}, "aspect_ratio"),
        ({"at": 1.5}, "at"),
        ({"at": "nan"}, "at"),
    ],
)
def test_a_preview_that_cannot_be_is_refused_by_its_field(
    server: RunningServer, source: str, change: dict[str, Any], param: str
):
    wanted = {name: value for name, value in {"hint": "edge", **change}.items() if value is not None}

    answer = server.get(f"/v1/media/{source}/control", params=wanted)

    assert (answer.status_code, answer.json()["error"]["param"]) == (422, param)


def test_only_clips_have_controls(
    server: RunningServer, upload: Callable[[bytes], str], make_picture: Callable[..., bytes]
):
    picture = upload(make_picture())
    body = {"source_video": picture, "hint": "edge"}

    preview = server.get(f"/v1/media/{picture}/control", params={"hint": "edge"})
    whole = server.post("/v1/controls", json=body)
    missing = server.post("/v1/controls", json={**body, "source_video": "u0123456789abcdef"})

    assert (preview.status_code, preview.json()["error"]["param"]) == (422, "media_id")
    assert (whole.status_code, whole.json()["error"]["param"]) == (422, "source_video")
    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "media_not_found")


@pytest.mark.parametrize("change", [{"fps": 0}, {"hint": "wsm"}, {"source_video": "../x"}, {"speed": 3}])
def test_a_control_that_cannot_be_computed_is_refused(server: RunningServer, source: str, change: dict[str, Any]):
    answer = server.post("/v1/controls", json={"source_video": source, "hint": "edge", **change})

    assert (answer.status_code, answer.json()["error"]["param"]) == (422, next(iter(change)))


def test_a_whole_control_is_watched_fetched_and_used(server: RunningServer, source: str):
    body = {"source_video": source, "hint": "edge", "strength": "low", "fps": 12, **CANVAS}

    first, again = (server.post("/v1/controls", json=body) for _ in range(2))

    control = first.json()
    assert (first.status_code, control["type"], control["mime"]) == (201, "video", "video/mp4")
    # Not the same id: on a busy machine x264 has written other bytes for the same frames (2 of 249 files).
    once, twice = (grey_of(server.get(answer.json()["url"]).content) for answer in (first, again))
    assert np.array_equal(once, twice)
    assert (control["width"], control["height"], control["num_frames"]) == (192, 320, 9)
    assert server.get(control["thumbnail_url"]).status_code == 200
    frames = grey_of(server.get(control["url"]).content)
    source_frames = grey_of(server.get(f"/v1/media/{source}").content)
    exact = compute_control(Cover(160, 120, 192, 320)(source_frames[0]), "edge", "low")
    assert np.abs(frames[0].astype(int) - exact).mean() < 8  # as far as H.264 keeps it
    # Its shape is the canvas's and its source's is not; they lie over each other all the same.
    job = server.submit(
        kind="transfer_video",
        **CANVAS,
        fps=12,
        source_video=source,
        controls=[{"hint": "edge", "video": control["id"]}, {"hint": "blur"}],
        num_source_frames=1,
        sampling={"num_inference_steps": 1},
    )
    assert server.wait_job(job["id"])["state"] == "succeeded"


def test_the_client_asks_for_the_same(server: RunningServer, source: str):
    asked = ComputeControl.model_validate({"source_video": source, "hint": "blur", **CANVAS, "fps": 12})

    async def ask() -> tuple[bytes, Any, Any]:
        async with StudioClient(server.url) as client:
            return await client.preview_control(asked, 1), await client.compute_control(asked), await client.adapters()

    png, control, adapters = asyncio.run(ask())

    assert Image.open(io.BytesIO(png)).size == (192, 320)
    assert (control.num_frames, control.fps) == (9, 12)
    assert isinstance(adapters.adapters, tuple)


def test_whoever_leaves_stops_the_work_and_leaves_nothing(
    server: RunningServer, upload: Callable[[bytes], str], make_clip: Callable[..., bytes]
):
    long = upload(make_clip(600, 64, 36, 30))
    incoming = server.data / "media" / "incoming"
    body = {"source_video": long, "hint": "blur", "strength": "high", "resolution": "720", "fps": 30}

    with pytest.raises(httpx.ReadTimeout):
        httpx.post(f"{server.url}/v1/controls", json=body, timeout=httpx.Timeout(10, read=1.5))

    wait_for(lambda: not list(incoming.glob("*.part")), 60)
    assert server.get(f"/v1/media/{long}/control", params={"hint": "edge"}).status_code == 200


@pytest.mark.parametrize(("hint", "model"), [("depth", "depth-anything-v2-small"), ("seg", "sam2.1-hiera-large")])
def test_a_control_whose_model_was_not_pulled_says_what_to_pull(
    server: RunningServer, source: str, hint: str, model: str
):
    shown = server.get(f"/v1/media/{source}/control", params={"hint": hint, **CANVAS})
    whole = server.post("/v1/controls", json={"source_video": source, "hint": hint, **CANVAS, "fps": 12})
    asked = {"kind": "transfer_video", "prompt": "x", "source_video": source, "controls": [{"hint": hint}], **CANVAS}
    job = server.post("/v1/jobs", json={**asked, "fps": 12, "num_chunk_frames": 9})
    for answer in (shown, whole, job):
        error = answer.json()["error"]
        assert (answer.status_code, error["code"]) == (404, "checkpoint_not_found"), answer.text
        assert f"orrery checkpoints pull {model}" in error["hint"]
    assert job.json()["error"]["param"] == "controls.0.hint"
