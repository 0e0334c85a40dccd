"""Bad input of every kind over HTTP: a typed error before anything is queued, and nothing is left behind."""

import io
import json
from collections.abc import Callable
from typing import Any

import av
import numpy as np
import pytest
from PIL import Image

from running import RunningServer

TRANSFER: dict[str, Any] = {
    "kind": "transfer_video",
    "prompt": "x",
    "resolution": "256",
    "aspect_ratio": "9:16",
    "fps": 12,
    "num_frames": None,
}
ROWS = [[0.0] * 10] * 4


@pytest.fixture(scope="module", autouse=True)
def settled(server: RunningServer) -> None:
    """Nothing that an earlier file has asked for comes into the library while it is counted here."""
    server.settle()


@pytest.fixture(scope="module")
def media(make_clip: Callable[..., bytes], make_picture: Callable[..., bytes], upload: Callable[[bytes], str]) -> Any:
    """Names by what they are."""
    return {
        "clip": upload(make_clip(9)),
        "long": upload(make_clip(17)),
        "square": upload(make_clip(9, 128, 128)),
        "single": upload(make_clip(1)),
        "picture": upload(make_picture()),
    }


def left(server: RunningServer) -> tuple[int, list[str]]:
    """Jobs in the ledger, and files in the store."""
    jobs = server.get("/v1/jobs", params={"limit": 1000}).json()["jobs"]
    return len(jobs), sorted(str(path) for path in (server.data / "media").rglob("*") if path.is_file())


def refused(server: RunningServer, body: dict[str, Any] | str) -> dict[str, Any]:
    before = left(server)
    sent = body if isinstance(body, str) else json.dumps(body)
    answer = server.post("/v1/jobs", content=sent, headers={"content-type": "application/json"})
    assert answer.status_code in (404, 422), answer.text
    assert left(server) == before
    return answer.json()["error"]


def audio_only() -> bytes:
    buffer = io.BytesIO()
    with av.open(buffer, "w", format="mp4") as container:
        stream: Any = container.add_stream("aac", rate=48_000)
        stream.layout = "stereo"
        frame = av.AudioFrame.from_ndarray(np.zeros((2, 1024), np.float32), format="fltp", layout="stereo")
        frame.sample_rate = 48_000
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return buffer.getvalue()


def huge_picture() -> bytes:
    buffer = io.BytesIO()
    Image.new("1", (20_000, 20)).save(buffer, "PNG")
    return buffer.getvalue()


def long_clip() -> bytes:
    """Four hours in two frames."""
    buffer = io.BytesIO()
    with av.open(buffer, "w", format="matroska") as container:
        stream: Any = container.add_stream("libx264", rate=24)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for pts in (0, 4 * 3600 * 24):
            frame = av.VideoFrame.from_ndarray(np.zeros((48, 64, 3), np.uint8))
            frame.pts = pts
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return buffer.getvalue()


def frameless(make_clip: Callable[..., bytes]) -> bytes:
    """A whole MP4 of no frames, as a recorder leaves it that was stopped at once."""
    return make_clip(0)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (lambda _: b"dear model, please make a clip", "text"),
        (lambda _: audio_only(), "sound and no video"),
        (lambda _: huge_picture(), "20000x20"),
        (lambda _: long_clip(), "at most 600 s"),
        (lambda make_clip: make_clip(30)[:3000], "is truncated"),
        (frameless, ""),
        (lambda _: b"", "empty"),
    ],
    ids=["text", "sound alone", "20,000 pixels", "four hours", "cut short", "no frame", "nothing"],
)
def test_what_is_neither_picture_nor_clip_is_not_kept(
    server: RunningServer, make_clip: Callable[..., bytes], content: Callable[..., bytes], said: str
):
    before = left(server)

    answer = server.post("/v1/media", files={"file": ("a.mp4", content(make_clip))})

    assert answer.status_code == 422, answer.text
    assert answer.json()["error"]["code"] == "bad_input"
    assert said in answer.json()["error"]["message"]
    assert left(server) == before


@pytest.mark.parametrize(
    ("change", "param", "said"),
    [
        ({"controls": []}, "controls", "1 item"),
        ({"controls": [{"hint": "wsm"}]}, "controls.0", "wsm has no video"),
        ({"controls": [{"hint": "edge"}]}, None, "no source_video"),
        ({"controls": [{"hint": "lidar", "video": "clip"}]}, "controls.0.hint", "'lidar'"),
        ({"controls": [{"hint": "edge", "video": "clip", "strength": "low"}]}, "controls.0", "strength"),
        ({"controls": [{"hint": "edge", "video": "clip"}, {"hint": "edge", "video": "clip"}]}, None, "twice"),
        ({"controls": [{"hint": "edge", "video": "clip", "weight": -1}]}, "controls.0.weight", "-1"),
        ({"controls": [{"hint": "edge", "video": "clip", "weight": 0}]}, None, "every weight is 0"),
        (
            {
                "controls": [{"hint": "edge", "video": "clip", "weight": 2}, {"hint": "seg", "video": "clip"}],
                "control_attention": "joint",
            },
            None,
            "weights are given",
        ),
        ({"controls": [{"hint": "edge", "video": "clip"}, {"hint": "seg", "video": "long"}]}, "controls.1.video", "17"),
        (
            {"controls": [{"hint": "edge", "video": "clip"}, {"hint": "seg", "video": "square"}]},
            "controls.1.video",
            "128x128",
        ),
        ({"controls": [{"hint": "edge", "video": "picture"}]}, "controls.0.video", "expected video"),
        ({"source_video": "clip", "num_source_frames": 12}, "num_source_frames", "9 frames"),
        ({"num_source_frames": 3}, None, "needs a source_video"),
        ({"num_chunk_frames": 10}, "num_chunk_frames", "use 9 or 13"),
        ({"num_chunk_frames": 9, "num_overlap_frames": 9}, None, "below num_chunk_frames"),
        ({"num_frames": 0}, "num_frames", "at least 1"),
        ({"num_frames": 6000}, "num_frames", "5000"),
        ({"fps": 0}, "fps", "at least 10"),
        ({"resolution": "768"}, "resolution", "It supports 256, 480, 720"),
        ({"resolution": "720", "num_chunk_frames": 301}, "num_chunk_frames", "5 to 297"),
        ({"sound": True}, "sound", "is not a field of transfer_video"),
        ({"sampling": {"control_guidance_interval": [900, 3]}}, "sampling", "900"),
        ({"adapter": {"name": "nothing"}}, "adapter.name", "no adapter 'nothing'"),
        ({"adapter": {"name": "../../etc"}}, "adapter.name", "etc"),
        ({"adapter": {"name": "x", "scale": 40}}, "adapter.scale", "the maximum is 4"),
    ],
)
def test_what_a_transfer_cannot_be_is_named(
    server: RunningServer, media: dict[str, str], change: dict[str, Any], param: str | None, said: str
):
    body = json.dumps({**TRANSFER, "controls": [{"hint": "edge", "video": "clip"}], **change})
    for name, media_id in media.items():
        body = body.replace(f'"{name}"', f'"{media_id}"')

    error = refused(server, body)

    assert error["param"] == param
    assert said in f"{error['message']} {error['hint']}"


@pytest.mark.parametrize(
    ("body", "param", "said"),
    [
        ({"kind": "predict_video", "actions": [[0.0] * 9] * 4}, None, "action 0 has 9 values; expected 10"),
        ({"kind": "predict_video", "actions": ROWS[:3]}, "actions", "at least 4 items"),
        ({"kind": "predict_video", "actions": ROWS + ROWS[:2]}, None, "use 4 or 8"),
        ({"kind": "predict_video", "actions": [[float("nan")] * 10] * 4}, "actions.0.0", "finite"),
        ({"kind": "predict_video", "actions": [["a"] * 10] * 4}, "actions.0.0", "'a'"),
        ({"kind": "predict_video", "actions": ROWS, "start_image": "clip"}, "start_image", "expected image"),
        ({"kind": "predict_video", "actions": ROWS, "embodiment": "r2d2"}, "embodiment", "'r2d2'"),
        ({"kind": "predict_video", "actions": ROWS, "embodiment": "libero"}, None, "send action_width"),
        ({"kind": "predict_video", "actions": ROWS, "fps": 0}, "fps", "at least 1"),
        ({"kind": "predict_video", "actions": ROWS, "sound": True}, "sound", "is not a field of predict_video"),
        ({"kind": "predict_actions", "source_video": "single"}, "source_video", "has 1 frame; 2 are needed"),
        ({"kind": "predict_actions", "source_video": "picture"}, "source_video", "expected video"),
        ({"kind": "predict_actions", "source_video": "clip", "num_actions": 10}, "num_actions", "use 8 or 12"),
        ({"kind": "run_policy", "num_actions": 400}, "num_actions", "the maximum is 396"),
        ({"kind": "run_policy", "state": [0.0] * 8}, None, "umi expects none"),
        ({"kind": "run_policy", "embodiment": "droid_joint_position"}, None, "expects 8 values"),
        ({"kind": "run_policy", "start_image": "u0123456789abcdef"}, "start_image", "no media"),
        ({"kind": "run_policy", "start_image": "../../etc/passwd"}, "start_image", "etc"),
    ],
)
def test_what_actions_cannot_be_is_named(
    server: RunningServer, media: dict[str, str], body: dict[str, Any], param: str | None, said: str
):
    start = {} if body["kind"] == "predict_actions" else {"start_image": "picture"}
    sent = json.dumps({"prompt": "x", "embodiment": "umi", **start, **body})  # NaN is written as JSON does not allow
    for name, media_id in media.items():
        sent = sent.replace(f'"{name}"', f'"{media_id}"')

    error = refused(server, sent)

    assert error["param"] == param
    assert said in f"{error['message']} {error['hint']}"


@pytest.mark.parametrize(
    "kind", ["generate_image", "generate_video", "transfer_video", "predict_video", "predict_actions", "run_policy"]
)
def test_every_kind_has_its_choices_and_its_place_in_the_documentation(server: RunningServer, kind: str):
    body = server.get("/openapi.json").json()["paths"]["/v1/jobs"]["post"]["requestBody"]["content"]["application/json"]

    assert server.get(f"/v1/choices/{kind}").json()["choices"]["kind"]
    assert body["examples"][kind]["value"]["kind"] == kind
    assert kind in [schema["properties"]["kind"]["const"] for schema in body["schema"]["oneOf"]]
    assert "$ref" not in json.dumps(body["schema"])
