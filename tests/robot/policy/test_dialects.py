"""Our client talks to a server of each dialect."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from websockets.sync.server import ServerConnection

from robot.chunk import ActionChunk
from robot.clock import MonotonicClock
from robot.faults import PolicyLost, PolicyRefused
from robot.policy import PolicyAddress, PolicyConnection
from robot.policy.dialects import detect
from robot_servers import BOUND_S, answer, observation, policy_server, receive, rows, until
from studio.errors import StudioError

ROBOARENA = {
    "image_resolution": (224, 224),
    "needs_wrist_camera": True,
    "n_external_cameras": 2,
    "needs_stereo_camera": False,
    "needs_session_id": True,
    "action_space": "joint_position",
}
SGLANG = {"object": "action.metadata", "policy_family": "cosmos3", "capabilities": {"openpi_websocket": False}}


def ask(
    address: PolicyAddress, num_questions: int = 1, epochs: Callable[[int], int] = lambda _: 1
) -> tuple[list[ActionChunk | StudioError], str]:
    """The answers to so many questions, and what the client found to be the dialect."""
    client = PolicyConnection(replace(address, reply_timeout_s=BOUND_S), MonotonicClock())
    try:
        found: list[ActionChunk | StudioError] = []
        until(lambda: client.status().connection in ("ready", "refused"))
        for number in range(num_questions):
            until(lambda: client.status().connection == "ready" and not client.busy)
            client.ask(observation(number, epochs(number)))
            found.append(until(client.take))
        return found, client.status().dialect
    finally:
        client.close()


def test_openpi_is_asked_for_two_square_views_and_answers_actions():
    asked: list[dict[str, Any]] = []

    def handle(socket: ServerConnection) -> None:
        answer(socket, {"reset_pose": None})
        for number in range(2):
            asked.append(receive(socket))
            answer(socket, {"actions": rows(number)[:10], "server_timing": {"infer_ms": 12.5}})

    with policy_server(handle) as (url, _):
        found, dialect = ask(PolicyAddress(url, declared="joint_position"), 2)

    assert dialect == "openpi"
    assert asked[0]["observation/exterior_image_1_left"].shape == (224, 224, 3)
    assert asked[0]["observation/wrist_image_left"].shape == (224, 224, 3)
    assert asked[0]["prompt"] == "pick the red cube"
    first, second = found
    assert isinstance(first, ActionChunk)
    assert isinstance(second, ActionChunk)
    np.testing.assert_array_equal(first.rows, rows()[:10])
    assert second.rows[0, 0] == 1
    assert first.rows.dtype == np.float64
    assert first.inference_s == pytest.approx(0.0125)


def test_nvidias_server_is_asked_for_three_views_and_answers_action():
    asked: list[dict[str, Any]] = []

    def handle(socket: ServerConnection) -> None:
        answer(socket, {})
        asked.append(receive(socket))
        video = np.zeros((33, 54, 64, 3), np.uint8)
        answer(socket, {"action": rows(), "video": video})

    with policy_server(handle) as (url, _):
        (found,), dialect = ask(PolicyAddress(url, declared="joint_position"))

    assert dialect == "cosmos"
    assert asked[0]["observation/wrist_image_left"].shape == (360, 640, 3)
    assert asked[0]["observation/exterior_image_1_left"].shape == (180, 320, 3)
    assert asked[0]["observation/exterior_image_2_left"].shape == (180, 320, 3)
    assert asked[0]["observation/joint_position"].shape == (7,)
    assert asked[0]["observation/gripper_position"].tolist() == [0.25]
    assert "observation/objects" not in asked[0]
    assert isinstance(found, ActionChunk)
    assert found.rows.shape == (32, 8)
    assert not found.foresees  # a video that nobody asked for


def test_our_own_server_declares_its_contract_and_is_told_the_objects_it_asks_for():
    asked: list[dict[str, Any]] = []
    metadata = {
        "action_space": "joint_position",
        "action_units": "rad",
        "gripper_open": 0.0,
        "gripper_closed": 1.0,
        "rows_per_second": 15,
        "n_external_cameras": 0,
        "needs_object_poses": True,
    }

    def handle(socket: ServerConnection) -> None:
        answer(socket, metadata)
        asked.append(receive(socket))
        answer(socket, {"action": rows(), "actions": rows()})

    with policy_server(handle) as (url, _):
        (found,), dialect = ask(PolicyAddress(url))

    assert dialect == "cosmos"
    assert isinstance(found, ActionChunk)
    assert asked[0]["observation/objects"] == []


def test_roboarena_is_asked_with_an_endpoint_after_a_reset_and_may_answer_a_bare_array():
    asked: list[dict[str, Any]] = []

    def handle(socket: ServerConnection) -> None:
        answer(socket, ROBOARENA)
        for _ in range(5):
            message = receive(socket)
            asked.append(message)
            if message["endpoint"] == "reset":
                socket.send("reset successful")
            else:
                answer(socket, rows() if len(asked) < 4 else {"actions": rows()})

    with policy_server(handle) as (url, _):
        found, dialect = ask(PolicyAddress(url), 3, epochs=lambda number: number // 2)

    assert dialect == "roboarena"
    assert [message["endpoint"] for message in asked] == ["reset", "infer", "infer", "reset", "infer"]
    assert asked[1]["observation/exterior_image_0_left"].shape == (224, 224, 3)
    assert asked[1]["observation/exterior_image_1_left"].shape == (224, 224, 3)
    assert asked[1]["session_id"] != asked[4]["session_id"]
    assert all(isinstance(chunk, ActionChunk) and chunk.rows.shape == (32, 8) for chunk in found)


def test_vllm_omni_answers_a_bare_array_and_its_typed_error_leaves_the_connection_open():
    sockets: list[ServerConnection] = []

    def handle(socket: ServerConnection) -> None:
        sockets.append(socket)
        answer(socket, ROBOARENA | {"image_resolution": [540, 640]})
        assert "session_id" in receive(socket)
        answer(socket, rows())
        receive(socket)
        answer(socket, {"type": "error", "message": "Internal inference error"})
        receive(socket)
        answer(socket, rows(7))

    with policy_server(handle, path="/v1/realtime/robot/openpi") as (url, _):
        found, dialect = ask(PolicyAddress(url), 3)

    assert dialect == "vllm_omni"
    assert len(sockets) == 1
    assert isinstance(found[0], ActionChunk)
    assert isinstance(found[1], PolicyRefused)
    assert "Internal inference error" in found[1].message
    assert isinstance(found[2], ActionChunk)
    assert found[2].rows[0, 0] == 7


def test_sglang_is_asked_in_an_envelope_and_its_rows_are_taken_out_of_one():
    asked: list[dict[str, Any]] = []

    def handle(socket: ServerConnection) -> None:
        answer(socket, SGLANG)
        asked.append(receive(socket))
        action = {"type": "continuous", "shape": [32, 8], "values": rows()}
        answer(socket, {"data": [{"index": 0, "action": action}], "server_timing": {"infer_ms": 3.0}})

    with policy_server(handle, path="/v1/actions/realtime") as (url, _):
        (found,), dialect = ask(PolicyAddress(url, declared="joint_position"))

    assert dialect == "sglang"
    assert asked[0]["parameters"]["action_horizon"] == 32
    assert asked[0]["parameters"]["domain_name"] == "droid_lerobot"
    assert asked[0]["input"]["observation"]["image"].shape == (540, 640, 3)
    assert isinstance(found, ActionChunk)
    assert found.rows.shape == (32, 8)
    assert found.inference_s == pytest.approx(0.003)


@pytest.mark.parametrize(
    ("send", "words"),
    [
        (lambda socket: socket.send("Traceback (most recent call last):\n  x\nKeyError: 'endpoint'"), "KeyError"),
        (lambda socket: answer(socket, {"error": "Traceback\nRuntimeError: no memory"}), "no memory"),
        (lambda socket: answer(socket, {"type": "error", "message": "No blue cube.", "hint": "Red?"}), "No blue cube"),
    ],
)
def test_each_way_of_failing_is_said_in_words_and_without_a_traceback(
    send: Callable[[ServerConnection], None], words: str
):
    def handle(socket: ServerConnection) -> None:
        answer(socket, {})
        receive(socket)
        send(socket)
        socket.close(1011)

    with policy_server(handle) as (url, _):
        (found,), _ = ask(PolicyAddress(url, declared="joint_position"))

    assert isinstance(found, PolicyRefused)
    assert words in found.message
    assert "most recent call" not in str(found)


@pytest.mark.parametrize(
    "message",
    [{"video": 3}, ["a"], "text", 7, {"action": "text"}, {"action": [[1, 2], [3]]}, {"action": {"x": 1}}],
)
def test_an_answer_without_numbers_counts_as_lost(message: Any):
    def handle(socket: ServerConnection) -> None:
        answer(socket, {})
        receive(socket)
        answer(socket, message)
        socket.recv()

    with policy_server(handle) as (url, _):
        (found,), _ = ask(PolicyAddress(url, declared="joint_position"))

    assert isinstance(found, PolicyLost)


def test_a_person_may_name_the_dialect():
    assert detect("roboarena", "ws://x", {}, "s").name == "roboarena"
    assert detect("auto", "ws://x", {"anything": 1}, "s").name == "openpi"
    assert detect("auto", "ws://x/v1/realtime/robot/openpi", {"n_external_cameras": 2}, "s").name == "vllm_omni"
