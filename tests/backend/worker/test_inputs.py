"""What the engine is given: frames on the canvas at the request's rate, in memory or on disk, and heed is paid."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backend.media import MediaStore, compute_control, stream_clip
from backend.worker import footage
from backend.worker.inputs import read_inputs
from engine.perception import Painter
from studio.errors import BadInput, MediaNotFound
from studio.requests import parse_request

TRANSFER: dict[str, Any] = {
    "kind": "transfer_video",
    "prompt": "x",
    "resolution": "256",
    "aspect_ratio": "9:16",
    "fps": 12,
}
ACTING: dict[str, Any] = {"prompt": "x", "embodiment": "umi"}


@pytest.fixture
def store(tmp_path: Path) -> MediaStore:
    return MediaStore(tmp_path)


@pytest.fixture
def source(store: MediaStore, make_clip: Callable[..., bytes]) -> str:
    return store.put_upload(io.BytesIO(make_clip(13, 128, 96, 12))).id


def nobody_speaks() -> None:
    return


def nobody_paints(hint: str) -> Painter:
    raise AssertionError(f"nobody asked for {hint}")


class Negative:
    """Paints the frame's negative, one value brighter at the end."""

    def paint(self, place: np.ndarray, frame: np.ndarray) -> None:
        place[:] = 254 - np.minimum(frame, 254)

    def finish(self, room: np.ndarray) -> None:
        room += 1


def on_canvas(store: MediaStore, name: str, num_frames: int) -> np.ndarray:
    return np.stack(list(stream_clip(store.file(name), width=192, height=320, fps=12, num_frames=num_frames)))


@pytest.mark.parametrize("limit_bytes", [10**9, 10**6], ids=["in memory", "on disk"])
def test_controls_given_and_computed_are_of_one_length(
    store: MediaStore, source: str, monkeypatch: pytest.MonkeyPatch, limit_bytes: int
):
    monkeypatch.setattr(footage, "MAX_IN_MEMORY_BYTES", limit_bytes)
    controls = [{"hint": "depth", "video": source}, {"hint": "edge", "strength": "low"}, {"hint": "blur"}]
    request = parse_request(
        {**TRANSFER, "controls": controls, "source_video": source, "num_source_frames": 5, "num_frames": 9}
    )

    inputs = read_inputs(request, store, nobody_speaks, nobody_paints)

    frames = on_canvas(store, source, 9)
    assert np.array_equal(inputs["depth"], frames)
    assert np.array_equal(inputs["edge"], [compute_control(frame, "edge", "low") for frame in frames])
    assert np.array_equal(inputs["blur"], [compute_control(frame, "blur", "medium") for frame in frames])
    assert np.array_equal(inputs["source_video"], frames[:5])
    assert isinstance(inputs["edge"], np.memmap) == (limit_bytes < 10**9)


def test_depth_and_objects_are_painted_from_the_source_by_their_models(store: MediaStore, source: str):
    controls = [{"hint": "edge"}, {"hint": "depth"}]
    request = parse_request({**TRANSFER, "controls": controls, "source_video": source, "num_frames": 5})
    asked: list[str] = []

    def painters(hint: str) -> Painter:
        asked.append(hint)
        return Negative()

    inputs = read_inputs(request, store, nobody_speaks, painters)

    assert asked == ["depth"]
    assert np.array_equal(inputs["depth"], 255 - np.minimum(on_canvas(store, source, 5), 254))


def test_a_source_that_is_only_computed_from_is_not_held(store: MediaStore, source: str):
    request = parse_request({**TRANSFER, "controls": [{"hint": "edge"}], "source_video": source})

    inputs = read_inputs(request, store, nobody_speaks, nobody_paints)

    assert {name: frames.shape for name, frames in inputs.items()} == {
        "edge": (13, 320, 192, 3),
        "source_video": (0, 320, 192, 3),
    }


def test_more_frames_may_be_kept_than_controls_are_long(store: MediaStore, source: str):
    request = parse_request(
        {**TRANSFER, "controls": [{"hint": "edge"}], "source_video": source, "num_source_frames": 4, "num_frames": 2}
    )

    inputs = read_inputs(request, store, nobody_speaks, nobody_paints)

    assert (len(inputs["edge"]), len(inputs["source_video"])) == (2, 4)


def test_a_picture_for_actions_keeps_its_own_size(store: MediaStore, make_picture: Callable[..., bytes]):
    picture = store.put_upload(io.BytesIO(make_picture(50, 30))).id
    request = parse_request({**ACTING, "kind": "run_policy", "start_image": picture})

    assert read_inputs(request, store, nobody_speaks, nobody_paints)["start_image"].shape == (1, 30, 50, 3)


@pytest.mark.parametrize(("num_actions", "num_frames"), [(8, 9), (16, 13)])
def test_a_clip_for_actions_keeps_its_own_size_and_the_frames_it_has(
    store: MediaStore, source: str, num_actions: int, num_frames: int
):
    request = parse_request(
        {**ACTING, "kind": "predict_actions", "source_video": source, "num_actions": num_actions, "fps": 12}
    )

    assert read_inputs(request, store, nobody_speaks, nobody_paints)["source_video"].shape == (num_frames, 96, 128, 3)


def test_heed_is_paid_between_frames(store: MediaStore, source: str):
    heard = 0

    def cancel_at_the_third() -> None:
        nonlocal heard
        heard += 1
        if heard == 3:
            raise InterruptedError

    request = parse_request({**TRANSFER, "controls": [{"hint": "blur"}], "source_video": source})

    with pytest.raises(InterruptedError):
        read_inputs(request, store, cancel_at_the_third, nobody_paints)
    assert heard == 3


GONE = "u0123456789abcdef"


@pytest.mark.parametrize(
    ("param", "fields"),
    [
        ("start_image", {"kind": "generate_video", "prompt": "x", "start_image": GONE}),
        ("source_video", {"kind": "generate_video", "prompt": "x", "source_video": GONE}),
        ("start_image", {"kind": "run_policy", **ACTING, "start_image": GONE}),
        ("source_video", {"kind": "predict_actions", **ACTING, "source_video": GONE}),
        ("source_video", {**TRANSFER, "controls": [{"hint": "edge"}], "source_video": GONE}),
        (
            "controls.1.video",
            {**TRANSFER, "controls": [{"hint": "edge", "video": "SOURCE"}, {"hint": "seg", "video": GONE}]},
        ),
        (
            "source_video",
            {
                **TRANSFER,
                "controls": [{"hint": "seg", "video": "SOURCE"}],
                "source_video": GONE,
                "num_source_frames": 1,
            },
        ),
    ],
    ids=str,
)
def test_a_file_that_is_gone_is_said_of_the_field_that_it_was_for(
    store: MediaStore, source: str, param: str, fields: dict[str, Any]
):
    request = parse_request(json.loads(json.dumps(fields).replace("SOURCE", source)))

    with pytest.raises(MediaNotFound) as error:
        read_inputs(request, store, nobody_speaks, nobody_paints)

    assert error.value.param == param


def test_a_file_that_is_no_picture_any_more_is_said_of_its_field(store: MediaStore, make_picture: Callable[..., bytes]):
    picture = store.put_upload(io.BytesIO(make_picture())).id
    store.file(picture).write_bytes(b"nothing of the kind")

    with pytest.raises(BadInput) as error:
        read_inputs(
            parse_request({**ACTING, "kind": "run_policy", "start_image": picture}), store, nobody_speaks, nobody_paints
        )

    assert error.value.param == "start_image"
