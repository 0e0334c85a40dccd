"""The media of a request are looked at before it is queued; an error names the field, and what came."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from backend.jobs import inputs
from backend.jobs.inputs import check_inputs
from backend.media import ControlOrigin, MediaStore, compute_control, stream_clip
from studio.errors import BadInput, MediaNotFound
from studio.requests import Resolution, parse_request
from studio.rules import canvas

TRANSFER: dict[str, Any] = {
    "kind": "transfer_video",
    "prompt": "x",
    "resolution": "256",
    "aspect_ratio": "9:16",
    "fps": 12,
}
ACTING: dict[str, Any] = {"prompt": "x", "embodiment": "umi"}
UNKNOWN = "u0123456789abcdef"


@pytest.fixture
def store(tmp_path: Path) -> MediaStore:
    return MediaStore(tmp_path)


@pytest.fixture
def clip(store: MediaStore, make_clip: Callable[..., bytes]) -> Callable[..., str]:
    """A clip in the store: frames, width, height."""
    return lambda *size: store.put_upload(io.BytesIO(make_clip(*size))).id


@pytest.fixture
def picture(store: MediaStore, make_picture: Callable[..., bytes]) -> str:
    return store.put_upload(io.BytesIO(make_picture())).id


def refused(
    store: MediaStore, error_type: type[BadInput | MediaNotFound] = BadInput, /, **fields: Any
) -> tuple[str | None, str]:
    """The field that is at fault, and what is said of it."""
    with pytest.raises(error_type) as error:
        check_inputs(parse_request(fields), store)
    return error.value.param, str(error.value)


def test_controls_that_agree_are_accepted(store: MediaStore, clip: Callable[..., str]):
    small, large = clip(9, 96, 160), clip(9, 192, 320)
    controls = [{"hint": "edge"}, {"hint": "depth", "video": large}]

    check_inputs(parse_request({**TRANSFER, "controls": controls, "source_video": small}), store)


def test_a_control_of_another_length_is_refused_with_both(store: MediaStore, clip: Callable[..., str]):
    controls = [{"hint": "edge", "video": clip(9)}, {"hint": "seg", "video": clip(17)}]

    param, said = refused(store, **TRANSFER, controls=controls)

    assert param == "controls.1.video"
    assert "seg control has 17 frames at 12 frames per second; the edge control has 9" in said


def test_a_control_longer_than_its_source_is_refused(store: MediaStore, clip: Callable[..., str]):
    controls = [{"hint": "depth", "video": clip(17)}, {"hint": "edge"}]

    param, said = refused(store, **TRANSFER, controls=controls, source_video=clip(9))

    assert param == "source_video"
    assert "source video, which edge is computed from, has 9 frames" in said


def test_longer_clips_are_cut_to_the_length_that_is_asked_for(store: MediaStore, clip: Callable[..., str]):
    controls = [{"hint": "edge", "video": clip(9)}, {"hint": "seg", "video": clip(17)}]

    check_inputs(parse_request({**TRANSFER, "controls": controls, "num_frames": 9}), store)
    assert refused(store, **TRANSFER, controls=controls, num_frames=10)[0] == "controls.1.video"


def test_a_clip_of_more_frames_than_are_made_is_refused(
    store: MediaStore, clip: Callable[..., str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(inputs, "MAX_FRAMES", 16)
    controls = [{"hint": "edge", "video": clip(17)}]

    param, said = refused(store, **TRANSFER, controls=controls)

    assert param == "controls.0.video"
    assert "17 frames" in said
    assert "num_frames to 16" in said
    check_inputs(parse_request({**TRANSFER, "controls": controls, "num_frames": 16}), store)


def test_clips_of_another_shape_are_refused(store: MediaStore, clip: Callable[..., str]):
    upright, square = clip(9, 96, 160), clip(9, 128, 128)
    controls = [{"hint": "edge", "video": upright}, {"hint": "seg", "video": square}]

    param, said = refused(store, **TRANSFER, controls=controls)

    assert param == "controls.1.video"
    assert "seg control is 128x128 pixels; the edge control is 96x160" in said
    fields = {"controls": [{"hint": "edge", "video": upright}], "source_video": square, "num_source_frames": 1}
    assert refused(store, **TRANSFER, **fields)[0] == "source_video"


@pytest.mark.parametrize(
    ("size", "other"), [((320, 256), (736, 544)), ((320, 192), (832, 480)), ((192, 320), (480, 832))], ids=str
)
def test_canvases_of_one_name_go_together_whatever_their_tier(
    store: MediaStore, clip: Callable[..., str], size: tuple[int, int], other: tuple[int, int]
):
    controls = [{"hint": "edge", "video": clip(2, *size)}, {"hint": "seg", "video": clip(2, *other)}]

    check_inputs(parse_request({**TRANSFER, "controls": controls}), store)


def test_a_canvas_and_what_is_none_of_that_name_do_not(store: MediaStore, clip: Callable[..., str]):
    for size, other in (((320, 256), (832, 480)), ((320, 256), (734, 544))):
        controls = [{"hint": "edge", "video": clip(2, *size)}, {"hint": "seg", "video": clip(2, *other)}]
        assert refused(store, **TRANSFER, controls=controls)[0] == "controls.1.video"


@pytest.mark.parametrize(("computed_in", "asked_in"), [("480", "256"), ("256", "480")])
def test_a_control_computed_in_one_tier_follows_its_source_in_another(
    store: MediaStore, clip: Callable[..., str], computed_in: Resolution, asked_in: str
):
    source = clip(2, 160, 90)
    origin = ControlOrigin(
        hint="edge",
        strength="low",
        source_video=source,
        source_size=(160, 90),
        resolution=computed_in,
        aspect_ratio="16:9",
    )
    width, height = canvas(computed_in, "16:9")
    frames = stream_clip(store.file(source), width=width, height=height, fps=12, num_frames=2)
    computed = store.put_control(frames, fps=12, origin=origin).id
    fields = {"resolution": asked_in, "aspect_ratio": "16:9", "source_video": source, "num_frames": 2}

    for controls in ([{"hint": "depth", "video": computed}, {"hint": "edge"}], [{"hint": "edge", "video": computed}]):
        check_inputs(parse_request({**TRANSFER, **fields, "controls": controls}), store)


def test_a_control_computed_here_lies_over_its_source_and_over_no_other(store: MediaStore, clip: Callable[..., str]):
    wide, square = clip(9, 160, 96), clip(9, 128, 128)
    origin = ControlOrigin(
        hint="edge",
        strength="low",
        source_video=wide,
        source_size=(160, 96),
        resolution="256",
        aspect_ratio="9:16",
    )
    frames = stream_clip(store.file(wide), width=192, height=320, fps=12, num_frames=9)
    computed = store.put_control((compute_control(frame, "edge", "low") for frame in frames), fps=12, origin=origin).id
    controls = [{"hint": "edge", "video": computed}, {"hint": "blur"}]

    check_inputs(parse_request({**TRANSFER, "controls": controls, "source_video": wide}), store)
    assert refused(store, **TRANSFER, controls=controls, source_video=square)[0] == "source_video"
    fields = {**TRANSFER, "aspect_ratio": "1:1", "controls": controls, "source_video": wide}
    assert refused(store, **fields)[0] == "source_video"  # cropped once for another canvas


@pytest.mark.parametrize(
    ("kept", "said"), [(10, "source video has 9 frames"), (9, "none is left to generate"), (5, "")], ids=str
)
def test_frames_that_are_kept_must_be_there_and_leave_some(
    store: MediaStore, clip: Callable[..., str], kept: int, said: str
):
    fields = {**TRANSFER, "controls": [{"hint": "edge"}], "source_video": clip(9), "num_source_frames": kept}

    if said:
        param, came = refused(store, **fields)
        assert param == "num_source_frames"
        assert said in came
    else:
        check_inputs(parse_request(fields), store)


def test_a_whole_first_chunk_cannot_be_kept(store: MediaStore, clip: Callable[..., str]):
    fields = {**TRANSFER, "controls": [{"hint": "edge"}], "source_video": clip(17), "num_chunk_frames": 9}

    param, said = refused(store, **fields, num_source_frames=9)

    assert (param, "Keep at most 8." in said) == ("num_source_frames", True)
    check_inputs(parse_request({**fields, "num_source_frames": 8}), store)


def test_a_clip_of_one_frame_cannot_be_continued_from_five(store: MediaStore, clip: Callable[..., str]):
    still = {"kind": "generate_video", "prompt": "x", "source_video": clip(1), "fps": 30}

    assert refused(store, **still)[0] == "source_video"


def test_a_clip_of_which_everything_is_kept_is_made_only_for_its_sound(store: MediaStore, clip: Callable[..., str]):
    fields = {"kind": "generate_video", "prompt": "x", "source_video": clip(9), "fps": 12, "num_frames": 9}
    everything = {**fields, "condition_frames": [2, 1, 0]}

    assert refused(store, **everything)[0] == "condition_frames"
    check_inputs(parse_request({**everything, "sound": True}), store)
    check_inputs(parse_request({**fields, "condition_frames": [2, 1]}), store)


def test_one_frame_has_no_actions(store: MediaStore, clip: Callable[..., str]):
    param, said = refused(store, **ACTING, kind="predict_actions", source_video=clip(1))

    assert param == "source_video"
    assert "The video has 1 frame; 2 are needed" in said
    check_inputs(parse_request({**ACTING, "kind": "predict_actions", "source_video": clip(2), "fps": 12}), store)


def test_what_is_not_in_the_store_is_named_by_its_field(store: MediaStore, clip: Callable[..., str]):
    rows = [[0.0] * 10] * 4
    controls = [{"hint": "edge"}, {"hint": "depth", "video": UNKNOWN}]

    for param, fields in {
        "source_video": {**TRANSFER, "controls": [{"hint": "edge"}], "source_video": UNKNOWN},
        "controls.1.video": {**TRANSFER, "controls": controls, "source_video": clip(9)},
        "start_image": {**ACTING, "kind": "predict_video", "start_image": UNKNOWN, "actions": rows},
    }.items():
        assert refused(store, MediaNotFound, **fields)[0] == param
    assert refused(store, MediaNotFound, **ACTING, kind="run_policy", start_image=UNKNOWN)[0] == "start_image"
    assert refused(store, MediaNotFound, **ACTING, kind="predict_actions", source_video=UNKNOWN)[0] == "source_video"


def test_pictures_and_clips_are_not_taken_for_each_other(store: MediaStore, clip: Callable[..., str], picture: str):
    controls = [{"hint": "edge", "video": picture}]

    assert refused(store, **TRANSFER, controls=controls)[0] == "controls.0.video"
    assert refused(store, **ACTING, kind="predict_actions", source_video=picture)[0] == "source_video"
    assert refused(store, **ACTING, kind="run_policy", start_image=clip(9))[0] == "start_image"


def test_a_file_that_was_damaged_since_is_named_by_its_field(store: MediaStore, clip: Callable[..., str]):
    name = clip(9)
    store.file(name).write_bytes(b"nothing like a clip")

    assert refused(store, **ACTING, kind="predict_actions", source_video=name)[0] == "source_video"
