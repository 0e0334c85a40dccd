"""Small policy servers, one for each way in which a server can speak or fail."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from typing import Any

import numpy as np
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.sync.server import Server, ServerConnection, serve

from robot.observation import Observation
from robot.scripted import wire
from robot_fakes import arm_state, views_at
from studio.wire.arrays import pack_message, unpack_message

BOUND_S = 60.0


def until(condition: Callable[[], Any], timeout_s: float = BOUND_S) -> Any:
    """What a condition says as soon as it says something."""
    ticker = threading.Event()
    for _ in range(int(timeout_s / 0.005)):
        if value := condition():
            return value
        ticker.wait(0.005)
    raise AssertionError(f"not within {timeout_s} s")


@contextmanager
def beating(beat: Callable[[], None]) -> Iterator[None]:
    """Let a heart beat five times a second, as a page in control does, whatever is said or waited for meanwhile."""
    ended = threading.Event()

    def beat_on() -> None:
        while not ended.is_set():
            beat()
            ended.wait(0.2)

    thread = threading.Thread(target=beat_on)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def observation(tick: int = 0, epoch: int = 1, at_s: float = 0.0) -> Observation:
    """At home, black pictures."""
    return Observation(tick, epoch, arm_state(gripper=0.25, measured_at_s=at_s), views_at(at_s), "pick the red cube")


def rows(first: float = 0.0) -> np.ndarray:
    """float32 [32, 8]; row i holds first + i in every column."""
    return np.repeat(first + np.arange(32, dtype=np.float32)[:, None], 8, axis=1)


@contextmanager
def policy_server(
    handle: Callable[[ServerConnection], None], path: str = "/", token: str = ""
) -> Iterator[tuple[str, list[Any]]]:
    """A server on a free port: its URL, and where the handler may keep what it saw."""

    def check(_: ServerConnection, request: Request) -> Response | None:
        if token and request.headers.get("Authorization") != f"Bearer {token}":
            return Response(HTTPStatus.UNAUTHORIZED, "no", Headers())
        return None

    def guarded(socket: ServerConnection) -> None:
        with suppress(ConnectionClosed):
            handle(socket)

    server: Server = serve(
        guarded, "127.0.0.1", 0, compression=None, max_size=None, process_request=check, close_timeout=0.5
    )
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        port = server.socket.getsockname()[1]
        yield f"ws://127.0.0.1:{port}{path}", []
    finally:
        server.shutdown()
        thread.join(BOUND_S)


def receive(socket: ServerConnection) -> dict[str, Any]:
    """The next question."""
    message = unpack_message(socket.recv())
    assert isinstance(message, dict)
    return message


def answer(socket: ServerConnection, message: Any) -> None:
    """Send a message."""
    socket.send(pack_message(message))


OURS = {
    "action_space": "joint_position",
    "action_units": "rad",
    "gripper_open": 0.0,
    "gripper_closed": 1.0,
    "rows_per_second": 15,
}


def stay_here(socket: ServerConnection) -> None:
    """A policy that wants the arm where it is."""
    answer(socket, OURS)
    while True:
        asked = receive(socket)
        row = np.append(asked["observation/joint_position"], asked["observation/gripper_position"])
        answer(socket, {"action": np.tile(row, (32, 1))})


def scripted(socket: ServerConnection) -> None:
    """The scripted policy."""
    answer(socket, wire.METADATA)
    while True:
        socket.send(wire.answer(socket.recv(decode=False)))
