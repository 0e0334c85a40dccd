"""The connection that carries predicted frames, behind real websockets: what is wrong there is lost, and no more."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from websockets.sync.server import ServerConnection

from robot.foresight import ForeseenClip, ForesightLink
from robot.foresight.clip import WHOLE_VIEWS
from robot_servers import policy_server, until
from studio.wire.arrays import pack_message

PATH = "/v1/realtime/robot/foreseen/secret"


def message(label: str) -> bytes:
    return pack_message({"label": label, "frames": [b"jpeg"], "views": [list(view) for view in WHOLE_VIEWS]})


@contextmanager
def linked(handle: Callable[[ServerConnection], None], path: str = PATH) -> Iterator[tuple[ForesightLink, list[str]]]:
    came: list[str] = []

    def take(clip: ForeseenClip) -> None:
        came.append(clip.label)

    with policy_server(handle) as (url, _):
        link = ForesightLink(url, "", lambda: path, take)
        try:
            yield link, came
        finally:
            link.close()


def test_it_dials_while_somebody_looks():
    def handle(socket: ServerConnection) -> None:
        assert socket.request is not None
        assert socket.request.path == PATH
        socket.send(message("1-7"))
        socket.recv()

    with linked(handle) as (link, came):
        threading.Event().wait(0.6)
        assert not came
        link.wanted = True
        until(lambda: came == ["1-7"])


def test_garbage_is_passed_over():
    def handle(socket: ServerConnection) -> None:
        socket.send("words")
        socket.send(b"\xc1")
        socket.send(pack_message({"label": "1-7", "frames": ["no"], "views": []}))
        socket.send(message("1-8"))
        socket.recv()

    with linked(handle) as (link, came):
        link.wanted = True
        until(lambda: came == ["1-8"])


def test_a_server_that_hangs_up_is_dialled_again():
    greeted: list[int] = []

    def handle(socket: ServerConnection) -> None:
        greeted.append(1)
        if len(greeted) > 1:
            socket.send(message("2-1"))
            socket.recv()

    with linked(handle) as (link, came):
        link.wanted = True
        until(lambda: came == ["2-1"])


def test_a_server_that_never_says_anything_ends_with_the_link():
    with linked(lambda socket: socket.recv() and None) as (link, came):
        link.wanted = True
        threading.Event().wait(0.6)

    assert not came


def test_a_server_without_a_path_is_not_dialled():
    with linked(lambda socket: socket.send(message("1-1")), path="") as (link, came):
        link.wanted = True
        threading.Event().wait(0.6)

    assert not came
