from typing import Any

import numpy as np
import pytest

from robot.objects import OBJECTS_FIELD
from robot.safety import HOME
from robot.scripted.wire import METADATA, answer
from robot_requests import scripted_request as request
from studio.wire.arrays import pack_message, unpack_message


def ask(message: object) -> dict[str, Any]:
    return unpack_message(answer(pack_message(message)))


def test_the_metadata_declares_what_the_numbers_mean():
    assert unpack_message(pack_message(METADATA)) == METADATA
    assert METADATA["action_space"] == "joint_position"
    assert METADATA["action_shape"] == [32, 8]
    assert METADATA["needs_object_poses"] is True


def test_the_answer_has_the_rows_under_both_names_and_its_time():
    reply = ask(request())

    assert reply["action"].shape == (32, 8)
    assert reply["action"].dtype == np.float32
    assert (reply["action"] == reply["actions"]).all()
    assert reply["server_timing"]["infer_ms"] > 0
    assert "prev_total_ms" not in reply["server_timing"]


def test_the_time_of_the_answer_before_is_told():
    reply = unpack_message(answer(pack_message(request()), 12.5))

    assert reply["server_timing"]["prev_total_ms"] == 12.5


def test_a_history_of_states_is_read_by_its_last_row():
    moved = HOME + 0.1
    history = request(
        **{
            "observation/joint_position": np.stack([HOME, moved]),
            "observation/gripper_position": np.array([[1.0], [0.0]]),
        }
    )
    alone = request(**{"observation/joint_position": moved, "observation/gripper_position": 0.0})

    assert (ask(history)["action"] == ask(alone)["action"]).all()


@pytest.mark.parametrize("endpoint", [{}, {"endpoint": "infer", "session_id": "a"}])
def test_roboarenas_endpoint_may_be_named_or_left_out(endpoint: dict[str, Any]):
    assert "action" in ask(request(**endpoint))


def test_a_reset_is_acknowledged():
    assert ask({"endpoint": "reset"}) == {"status": "reset successful"}


@pytest.mark.parametrize(
    ("message", "code", "param"),
    [
        (request(prompt="pick up the pink cube"), "object_not_found", None),
        (request(prompt="dance"), "prompt_not_understood", None),
        (request(**{OBJECTS_FIELD: []}), "poses_missing", None),
        ({key: value for key, value in request().items() if key != OBJECTS_FIELD}, "poses_missing", None),
        (request(prompt=""), "bad_input", "prompt"),
        (request(prompt=7), "bad_input", "prompt"),
        (request(prompt="x" * 2001), "bad_input", "prompt"),
        (request(endpoint="train"), "bad_input", "endpoint"),
        (request(endpoint=[1]), "bad_input", "endpoint"),
        (request(**{"observation/joint_position": np.zeros(6)}), "bad_input", "observation/joint_position"),
        (request(**{"observation/joint_position": np.full(7, np.nan)}), "bad_input", "observation/joint_position"),
        (request(**{"observation/joint_position": None}), "bad_input", "observation/joint_position"),
        (request(**{"observation/gripper_position": "open"}), "bad_input", "observation/gripper_position"),
        (request(**{OBJECTS_FIELD: "all"}), "bad_input", OBJECTS_FIELD),
        ([1, 2], "bad_input", None),
    ],
)
def test_what_is_wrong_is_answered_as_a_typed_message(message: object, code: str, param: str | None):
    reply = ask(message)

    assert reply["type"] == "error"
    assert reply["code"] == code
    assert reply["param"] == param
    assert reply["message"]


@pytest.mark.parametrize("frame", [b"\xc1", b"", b"\x93\x01", "infer"])
def test_a_frame_of_garbage_is_answered_too(frame: bytes | str):
    assert unpack_message(answer(frame))["code"] == "bad_input"
