"""Frames to questions, and what is said of those that are none."""

from typing import Any

import msgpack  # type: ignore[import-untyped]
import numpy as np
import pytest

from backend.policy.question import Question, Reset, read_canvas, read_frame
from policy_requests import HOME, policy_request
from studio.errors import BadInput
from studio.wire.arrays import pack_message


def read(**changes: Any) -> Question:
    asked = read_frame(pack_message(policy_request(**changes)))
    assert isinstance(asked, Question)
    return asked


def test_a_question_is_read_as_openpis_clients_pack_it():
    asked = read(gripper_position=np.array([0.25]), seed=np.int64(7), session_id="a")

    assert asked.canvas.shape == (540, 640, 3)
    assert asked.state == pytest.approx((*HOME, 0.25))
    assert asked.prompt == "pick up the red cube"
    assert (asked.seed, asked.session) == (7, "a")


@pytest.mark.parametrize(
    ("joints", "gripper"),
    [
        (HOME.tolist(), 0.5),
        (HOME[None], np.float32(0.5)),
        (np.stack([HOME + 1, HOME]), np.array([[0.1], [0.5]])),
        (HOME.astype(np.float32), [0.1, 0.5]),
    ],
)
def test_of_several_states_the_last_counts(joints: Any, gripper: Any):
    assert read(joint_position=joints, gripper_position=gripper).state == pytest.approx((*HOME, 0.5), abs=1e-6)


def test_a_gripper_sensor_may_say_a_little_too_much():
    assert read(gripper_position=-0.02).state[-1] == 0
    assert read(gripper_position=1.05).state[-1] == 1


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("joint_position", np.full(7, np.nan), "finite"),
        ("joint_position", np.append(HOME[:6], np.inf), "finite"),
        ("joint_position", HOME[:6], r"\[6\]"),
        ("joint_position", np.zeros((7, 3)), r"\[7, 3\]"),
        ("joint_position", np.zeros((1, 1, 7)), r"\[1, 1, 7\]"),
        ("joint_position", np.degrees(HOME), "radians"),
        ("joint_position", ["a"] * 7, "finite numbers"),
        ("joint_position", [[1.0], [1.0, 2.0]], "finite numbers"),
        ("joint_position", None, "finite numbers"),
        ("gripper_position", np.nan, "finite"),
        ("gripper_position", [], "finite"),
        ("gripper_position", 255, "0 .open. to 1 .closed."),
        ("wrist_image_left", "x", "an array"),
    ],
)
def test_what_cannot_be_meant_is_refused_by_name(field: str, value: Any, words: str):
    with pytest.raises(BadInput, match=words) as refused:
        read(**{field: value})

    assert refused.value.param == f"observation/{field}"


@pytest.mark.parametrize("field", ["prompt", "observation/joint_position", "observation/gripper_position"])
def test_what_is_missing_is_named(field: str):
    request = policy_request()
    del request[field]

    with pytest.raises(BadInput, match=f"{field} is missing") as refused:
        read_frame(pack_message(request))
    assert refused.value.param == field


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        ("{}", "text frame"),
        (b"", "msgpack"),
        (b"\xc1" * 20, "msgpack"),
        (b"\x93\x01", "msgpack"),
        (b"\x91" * 5000, "msgpack"),
        (msgpack.packb([1, 2]), "a list"),
        (msgpack.packb(7), "an? int"),
        (msgpack.packb({"endpoint": "train"}), "endpoint is 'train'"),
        (msgpack.packb({"session_id": 3}), "session_id"),
        (msgpack.packb({"prompt": "x", "a": msgpack.ExtType(5, b"cos\nsystem")}), "extension"),
        (msgpack.packb({"a": {b"__ndarray__": True, b"dtype": "|O", b"shape": [1], b"data": b"x"}}), "dtype"),
        (msgpack.packb({"a": {b"__ndarray__": True, b"dtype": "<f4", b"shape": [1 << 40], b"data": b"x"}}), "bytes"),
    ],
)
def test_a_frame_that_is_no_question_is_refused(frame: str | bytes, words: str):
    with pytest.raises(BadInput, match=words):
        read_frame(frame)


def test_settings_may_come_along_and_must_be_a_map():
    asked = read(sampling_params={"num_inference_steps": np.int32(2), "seed": 4})
    assert asked.sampling == {"num_inference_steps": 2}
    assert asked.seed == 4

    with pytest.raises(BadInput, match="a map") as refused:
        read(sampling_params=[1])
    assert refused.value.param == "sampling_params"


def test_the_foreseen_frames_are_asked_for_by_true_alone():
    assert [read().decode_video, read(decode_video=True).decode_video] == [False, True]

    with pytest.raises(BadInput, match="true or false") as refused:
        read(decode_video="yes")
    assert refused.value.param == "decode_video"


def test_a_reset_needs_nothing_else():
    assert read_frame(pack_message({"endpoint": "reset", "session_id": "b"})) == Reset("b")


def view(height: int, width: int, value: int) -> np.ndarray:
    return np.full((height, width, 3), value, np.uint8)


def views(**changes: Any) -> dict[str, Any]:
    named = {
        "observation/wrist_image_left": view(360, 640, 10),
        "observation/exterior_image_1_left": view(180, 320, 20),
        "observation/exterior_image_2_left": view(180, 320, 30),
    }
    return named | {f"observation/{name}": value for name, value in changes.items()}


def test_the_wrist_lies_above_and_the_exteriors_side_by_side_below():
    canvas = read_canvas(views())

    assert canvas.shape == (540, 640, 3)
    assert (canvas[:360] == 10).all()
    assert (canvas[360:, :320] == 20).all()
    assert (canvas[360:, 320:] == 30).all()


def test_a_finished_canvas_is_taken_to_the_bit():
    canvas = np.random.default_rng(1).integers(0, 256, (540, 640, 3), np.uint8)

    assert (read_canvas({"observation/image": canvas}) == canvas).all()


def test_a_canvas_of_the_same_shape_is_resized_and_of_another_refused():
    assert (read_canvas({"observation/image": view(270, 320, 7)}) == 7).all()

    with pytest.raises(BadInput, match="480x480") as refused:
        read_canvas({"observation/image": view(480, 480, 7)})
    assert refused.value.param == "observation/image"


def test_cameras_that_are_counted_from_0_are_the_same_two():
    named = views(exterior_image_0_left=view(180, 320, 20), exterior_image_1_left=view(180, 320, 30))
    del named["observation/exterior_image_2_left"]

    assert (read_canvas(named) == read_canvas(views())).all()


def test_a_view_of_another_shape_is_bordered_and_not_stretched():
    canvas = read_canvas(views(wrist_image_left=view(224, 224, 10), exterior_image_1_left=view(720, 1280, 20)))

    assert (canvas[:360, :140] == 0).all()
    assert (canvas[:360, 140:500] == 10).all()
    assert (canvas[:360, 500:] == 0).all()
    assert (canvas[360:, :320] == 20).all()


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "expected an array"),
        (np.zeros((180, 320, 3), np.float32), "float32"),
        (np.zeros((180, 320), np.uint8), r"\[180, 320\]"),
        (np.zeros((3, 180, 320), np.uint8), r"\[3, 180, 320\]"),
        (np.zeros((0, 320, 3), np.uint8), "320x0"),
        (np.zeros((5000, 20, 3), np.uint8), "20x5000"),
    ],
)
def test_what_is_no_picture_is_refused_by_name(value: Any, words: str):
    with pytest.raises(BadInput, match=words) as refused:
        read_canvas(views(exterior_image_2_left=value))

    assert refused.value.param == "observation/exterior_image_2_left"


def test_a_camera_that_is_missing_is_named_and_never_made_up():
    named = views()
    del named["observation/exterior_image_2_left"]

    with pytest.raises(BadInput, match="exterior_image_2_left is missing"):
        read_canvas(named)
