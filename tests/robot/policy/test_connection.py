"""Servers that hang, die, lie or send too much."""

import queue
import threading
from typing import Any

import pytest
from websockets.sync.server import ServerConnection

from robot.chunk import ActionChunk
from robot.clock import MonotonicClock
from robot.faults import PolicyLost
from robot.policy import PolicyAddress, PolicyConnection
from robot_servers import BOUND_S, answer, observation, policy_server, receive, rows, until
from studio.wire.arrays import pack_message


def connected(url: str, **known: object) -> PolicyConnection:
    known = {"reply_timeout_s": BOUND_S} | known
    client = PolicyConnection(PolicyAddress(url, declared="joint_position", **known), MonotonicClock())  # type: ignore
    until(lambda: client.status().connection == "ready")
    return client


def test_a_late_answer_is_never_taken_for_the_next_questions():
    release = threading.Event()
    numbers = iter(range(99))

    def handle(socket: ServerConnection) -> None:
        answer(socket, {})
        while True:
            receive(socket)
            number = next(numbers)
            if number == 0:
                release.wait(BOUND_S)
            answer(socket, {"action": rows(number)})

    with policy_server(handle) as (url, _):
        client = connected(url, reply_timeout_s=0.2)
        client.ask(observation(0))
        late = until(client.take)
        release.set()
        until(lambda: client.status().connection == "ready")
        client.ask(observation(1), timeout_s=BOUND_S)  # a busy machine takes longer than the address allows
        next_one = until(client.take)
        client.close()

    assert isinstance(late, PolicyLost)
    assert "0.2 s" in late.message
    assert isinstance(next_one, ActionChunk)
    assert next_one.tick == 1
    assert next_one.rows[0, 0] == 1


def test_whoever_has_taken_an_answer_may_ask_again_at_once():
    is_put, is_asked = threading.Event(), threading.Event()

    class Slow(queue.Queue[Any]):
        def put(self, *said: Any) -> None:
            super().put(*said)
            is_put.set()
            is_asked.wait(0.1)

    def handle(socket: ServerConnection) -> None:
        answer(socket, {})
        for number in range(2):
            receive(socket)
            answer(socket, {"action": rows(number)})

    with policy_server(handle) as (url, _):
        client = connected(url)
        client._answers = Slow()  # type: ignore
        client.ask(observation(0), timeout_s=BOUND_S)
        assert is_put.wait(BOUND_S)
        assert client.take() is not None
        client.ask(observation(1), timeout_s=BOUND_S)
        is_asked.set()
        second = until(client.take)
        client.close()

    assert isinstance(second, ActionChunk)
    assert second.tick == 1


def test_a_frame_that_nobody_asked_for_closes_the_connection():
    numbers = iter(range(99))
    sent = threading.Event()

    def handle(socket: ServerConnection) -> None:
        answer(socket, {})
        number = next(numbers)
        if number == 0:
            answer(socket, {"action": rows(66)})
            # The second ping is answered after what came before the first one was taken in: the frame is there, not on
            # its way.
            for _ in range(2):
                assert socket.ping().wait(BOUND_S)
            sent.set()
        receive(socket)
        answer(socket, {"action": rows(number)})

    with policy_server(handle) as (url, _):
        client = connected(url)
        assert sent.wait(BOUND_S)
        client.ask(observation(0))
        refused = until(client.take)
        until(lambda: client.status().connection == "ready" and not client.busy)
        client.ask(observation(1))
        taken = until(client.take)
        client.close()

    assert isinstance(refused, PolicyLost)
    assert isinstance(taken, ActionChunk)
    assert taken.rows[0, 0] == 1


@pytest.mark.parametrize("frame", [b"\xc1garbage", pack_message({"action": rows()})[:-9], b""])
def test_a_malformed_frame_counts_as_lost_and_the_connection_is_made_anew(frame: bytes):
    frames = iter([frame, pack_message({"action": rows()})])

    def handle(socket: ServerConnection) -> None:
        answer(socket, {})
        receive(socket)
        socket.send(next(frames))
        receive(socket)

    with policy_server(handle) as (url, _):
        client = connected(url)
        client.ask(observation(0))
        lost = until(client.take)
        until(lambda: client.status().connection == "ready")
        client.ask(observation(1))
        taken = until(client.take)
        client.close()

    assert isinstance(lost, PolicyLost)
    assert isinstance(taken, ActionChunk)


def test_a_frame_over_the_cap_is_not_read():
    def handle(socket: ServerConnection) -> None:
        answer(socket, {})
        receive(socket)
        socket.send(bytes(200_000))

    with policy_server(handle) as (url, _):
        client = connected(url, max_frame_bytes=100_000)
        client.ask(observation())
        found = until(client.take)
        client.close()

    assert isinstance(found, PolicyLost)


def test_a_server_that_hangs_up_is_found_before_anybody_asks_and_dialled_again():
    opened = []

    def handle(socket: ServerConnection) -> None:
        answer(socket, {})
        opened.append(socket)
        if len(opened) == 1:
            socket.close()
        else:
            receive(socket)
            answer(socket, {"action": rows()})

    with policy_server(handle) as (url, _):
        address = PolicyAddress(url, declared="joint_position", reply_timeout_s=BOUND_S)
        client = PolicyConnection(address, MonotonicClock())
        until(lambda: len(opened) == 2 and client.status().connection == "ready")
        client.ask(observation())
        assert isinstance(until(client.take), ActionChunk)
        client.close()


def test_a_wrong_token_is_said_in_words_and_the_right_one_is_let_in():
    def handle(socket: ServerConnection) -> None:
        answer(socket, {})
        receive(socket)

    with policy_server(handle, token="right") as (url, _):
        wrong = PolicyConnection(PolicyAddress(url, token="wrong", declared="joint_position"), MonotonicClock())
        words = until(lambda: wrong.status().words)
        wrong.close()
        right = connected(url, token="right")
        right.close()

    assert "401" in words
    assert "token" in words


def test_an_undeclared_policy_is_refused_before_anything_is_asked():
    asked = []

    def handle(socket: ServerConnection) -> None:
        answer(socket, {})
        asked.append(receive(socket))

    with policy_server(handle) as (url, _):
        client = PolicyConnection(PolicyAddress(url), MonotonicClock())
        until(lambda: client.status().connection == "refused")
        words = client.status().words
        client.close()

    assert "does not say" in words
    assert asked == []


def test_nobody_at_the_address_is_said_in_words():
    client = PolicyConnection(PolicyAddress("ws://127.0.0.1:1"), MonotonicClock())
    until(lambda: client.status().words)

    assert client.status().connection in ("disconnected", "connecting")
    client.close()
