"""The real `openpi-client`, a client of RoboLab's shape and our own against a running server."""

import queue
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from openpi_client import msgpack_numpy  # type: ignore[import-untyped]
from openpi_client.websocket_client_policy import WebsocketClientPolicy  # type: ignore[import-untyped]
from websockets.sync.client import connect

from policy_requests import policy_request
from robot.clock import MonotonicClock
from robot.foresight import ForeseenClip, ForesightLink
from robot.foresight.clip import label_of
from robot.policy import PolicyAddress, PolicyConnection
from robot_servers import observation, until
from running import RunningServer

# It connects in a way that websockets has deprecated.
pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning:openpi_client", "ignore::DeprecationWarning:websockets"
)


@pytest.fixture(params=["/", "/v1/realtime/robot/openpi"])
def address(server: RunningServer, request: pytest.FixtureRequest) -> str:
    return server.url.replace("http", "ws", 1) + request.param


@pytest.fixture
def client(address: str) -> Iterator[Any]:
    policy = WebsocketClientPolicy(address)
    try:
        yield policy
    finally:
        policy._ws.close()  # it has no way of its own


def test_it_is_told_what_the_actions_mean_before_the_first_of_them(client: Any):
    declared = client.get_server_metadata()

    assert declared["action_space"] == "joint_position"
    assert declared["action_units"] == "rad"
    assert declared["action_shape"] == [32, 8]
    assert (declared["gripper_open"], declared["gripper_closed"]) == (0.0, 1.0)
    assert declared["rows_per_second"] == 15
    assert declared["random_weights"] is True
    assert "meaningless" in declared["warning"]


def test_it_gets_a_chunk_of_actions_and_their_timing(client: Any):
    first, second = client.infer(policy_request()), client.infer(policy_request())

    for answer in (first, second):
        assert answer["action"].shape == answer["actions"].shape == (32, 8)
        assert answer["action"].dtype == np.float32
        assert np.isfinite(answer["action"]).all()
    assert first["server_timing"]["infer_ms"] > 0
    assert second["server_timing"]["prev_total_ms"] > first["server_timing"]["infer_ms"]
    assert (first["seed"], second["seed"]) == (0, 1)


def test_one_seed_is_one_answer_and_the_views_are_the_canvas(client: Any):
    named = policy_request(seed=7)
    below = np.hstack([named.pop(f"observation/exterior_image_{index}_left") for index in (1, 2)])
    canvas = np.vstack([named.pop("observation/wrist_image_left"), below])

    answers = [client.infer(request)["action"] for request in (
        policy_request(seed=7), policy_request(seed=7), named | {"observation/image": canvas}
    )]  # fmt: skip

    assert (answers[0] == answers[1]).all()
    assert (answers[0] == answers[2]).all()
    assert not (answers[0] == client.infer(policy_request(seed=8))["action"]).all()


def test_what_is_wrong_comes_as_a_message_and_the_connection_stays(client: Any):
    said = client.infer(policy_request(joint_position=np.full(7, np.nan)))

    assert (said["type"], said["code"], said["param"]) == ("error", "bad_input", "observation/joint_position")
    assert "Traceback" not in str(said)
    assert client.infer(policy_request())["action"].shape == (32, 8)


def test_a_client_of_robolabs_shape_drives_it(address: str):
    """The whole canvas, all 32 rows played open loop, the gripper binarised."""
    canvas = np.random.default_rng(5).integers(0, 256, (540, 640, 3), np.uint8)
    request = {
        "observation/image": canvas,
        "observation/joint_position": np.array([0, -np.pi / 5, 0, -4 * np.pi / 5, 0, 3 * np.pi / 5, 0], np.float32),
        "observation/gripper_position": np.array([0.0], np.float32),
        "prompt": "put the banana in the bowl",
    }
    with connect(address, compression=None, max_size=None, ping_interval=60, ping_timeout=600) as socket:
        assert isinstance(msgpack_numpy.unpackb(socket.recv(timeout=60)), dict)
        for _ in range(2):
            socket.send(msgpack_numpy.packb(request))
            chunk = np.asarray(msgpack_numpy.unpackb(socket.recv(timeout=60))["action"])
            targets = np.concatenate([chunk[:, :7], chunk[:, 7:] > 0.5], axis=1)
            assert targets.shape == (32, 8)


def test_our_own_client_recognises_it_and_takes_its_contract(address: str):
    connection = PolicyConnection(PolicyAddress(address), MonotonicClock())
    try:
        until(lambda: connection.status().connection != "connecting")
        assert (connection.status().connection, connection.status().dialect) == ("ready", "cosmos")
        connection.ask(observation(), timeout_s=60)
        chunk = until(connection.take, 60)
    finally:
        connection.close()

    assert chunk.rows.shape == (32, 8)
    assert chunk.inference_s > 0
    assert not chunk.foresees


def test_our_own_client_is_sent_what_it_foresees_behind_the_chunk(address: str):
    clips: queue.SimpleQueue[ForeseenClip] = queue.SimpleQueue()
    connection = PolicyConnection(PolicyAddress(address), MonotonicClock())
    link = ForesightLink(address, "", lambda: connection.status().foresight, clips.put)
    try:
        connection.wants_video = link.wanted = True
        until(lambda: connection.status().foresight)
        clip = None
        for _ in range(10):  # nothing is foreseen before the link stands
            connection.ask(observation(), timeout_s=60)
            chunk = until(connection.take, 60)
            assert chunk.foresees
            with suppress(queue.Empty):
                clip = clips.get(timeout=5)
                break
    finally:
        link.close()
        connection.close()

    assert clip is not None
    assert clip.label == label_of(observation().epoch, observation().tick)
    assert len(clip.frames) == 33
    assert clip.picture(0).shape == (540, 640, 3)
