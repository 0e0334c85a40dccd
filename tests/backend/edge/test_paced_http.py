"""A request comes at a pace, or is given up: uvicorn's real server around a small application, and shorter limits."""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import h11
import httpx
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from backend.edge import paced_http
from backend.edge.paced_http import PacedHttp

HEAD = b"POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n"


async def read(request: Request) -> PlainTextResponse:
    try:
        return PlainTextResponse(str(len(await request.body())))
    except ClientDisconnect:
        return PlainTextResponse("nobody reads this", 400)


async def look_late(request: Request) -> PlainTextResponse:
    await asyncio.sleep(1.5)
    return await read(request)


async def echo(socket: WebSocket) -> None:
    await socket.accept()
    await socket.send_text(await socket.receive_text())
    await socket.close()


async def refuse(_request: Request) -> PlainTextResponse:
    return PlainTextResponse("no", 404)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    routes = {"/read": read, "/late": look_late, "/refuse": refuse}
    app = Starlette(routes=[Route(path, handler, methods=["GET", "POST"]) for path, handler in routes.items()])
    app.router.routes.append(WebSocketRoute("/echo", echo))
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    server = uvicorn.Server(uvicorn.Config(app, http=PacedHttp, log_level="warning", headers=[("x-own", "yes")]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paced_http, "HEAD_S", 0.6)
        patch.setattr(paced_http, "BODY_S", 0.6)
        thread = threading.Thread(target=lambda: server.run(sockets=[listener]))
        thread.start()
        yield listener.getsockname()[1]
        server.should_exit = True
        thread.join()


def talk(port: int, *pieces: bytes, pause_s: float = 0.2) -> tuple[bytes, float]:
    """Send pieces with pauses until the other side hangs up; what it said, and when it hung up."""
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        try:
            for piece in pieces:
                client.sendall(piece)
                time.sleep(pause_s)
            said = b"".join(iter(lambda: client.recv(4096), b""))
        except ConnectionError:
            said = b""
    return said, time.monotonic() - began


@pytest.mark.parametrize("pieces", [(), (b"",), (b"GET /read HT",), (b"G", b"E", b"T", b" ", b"/", b"r", b"e")])
def test_a_connection_without_whole_headers_is_closed(port: int, pieces: tuple[bytes, ...]):
    said, took_s = talk(port, *pieces)

    assert took_s < 5
    assert said == b"" or said.startswith(b"HTTP/1.1 408")


def test_half_a_head_is_told_why_in_our_shape(port: int):
    said, _ = talk(port, b"GET /read HTTP/1.1\r\nHost: x\r\n")

    assert said.startswith(b"HTTP/1.1 408")
    assert b"x-own: yes" in said
    assert b'"code":"too_slow"' in said


def test_so_is_half_a_head_after_a_whole_request_on_the_same_connection(port: int):
    said, took_s = talk(port, b"GET /read HTTP/1.1\r\nHost: x\r\n\r\n", b"GET /re")

    assert said.startswith(b"HTTP/1.1 200")
    assert b"HTTP/1.1 408" in said
    assert took_s < 5


def test_a_body_that_drips_is_given_up(port: int):
    said, took_s = talk(port, HEAD, *[b"x"] * 100)

    assert b"200" not in said
    assert took_s < 5


def test_a_body_that_stops_is_told_why(port: int):
    said, took_s = talk(port, HEAD + b"x" * 20_000)

    assert said.startswith(b"HTTP/1.1 408")
    assert b"The request's body arrived too slowly." in said
    assert took_s < 5


def test_a_body_that_drips_on_after_its_answer_is_given_up_too(port: int):
    said, took_s = talk(port, HEAD.replace(b"/read", b"/refuse"), *[b"x"] * 100)

    assert said == b"" or said.startswith(b"HTTP/1.1 404")
    assert took_s < 5


def test_a_long_body_over_a_slow_link_arrives(port: int):
    pieces = [b"x" * 20_000] * 10  # 2 s, more than thrice the limit; of each 0.6 s one of them is enough
    head = HEAD.replace(b"100000\r\n\r\n", b"200000\r\nConnection: close\r\n\r\n")

    said, took_s = talk(port, head, *pieces)

    assert said.endswith(b"200000")
    assert took_s > 1.8


def test_a_client_that_the_server_holds_back_is_not_slow(port: int):
    answer = httpx.post(f"http://127.0.0.1:{port}/late", content=b"x" * 5_000_000, timeout=20)

    assert answer.text == "5000000"


def test_one_that_was_held_back_has_a_whole_window_afterwards_and_no_more():
    closed: list[bool] = []
    held = SimpleNamespace(read_paused=True)
    connection: Any = PacedHttp.__new__(PacedHttp)
    connection._timer, connection.flow, connection.client = None, held, None
    connection.loop = SimpleNamespace(call_later=lambda *_: SimpleNamespace(cancel=lambda: None))
    connection.transport = SimpleNamespace(is_closing=lambda: False, close=lambda: closed.append(True))
    connection.cycle = SimpleNamespace(waiting_for_100_continue=False, message_event=asyncio.Event())
    connection.conn = SimpleNamespace(our_state=h11.CLOSED)
    connection._wait_for(h11.SEND_BODY)
    held.read_paused = False

    connection._judge()
    assert not closed
    connection._judge()
    assert closed


def test_nor_is_one_that_waits_to_be_told_to_go_on(port: int):
    head = b"POST /late HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        client.sendall(head)
        assert client.recv(4096).startswith(b"HTTP/1.1 100")
        client.sendall(b"hello")
        said = b"".join(iter(lambda: client.recv(4096), b""))

    assert said.endswith(b"5")


def test_a_kept_connection_serves_request_after_request(port: int):
    with httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
        for _ in range(4):
            assert client.post("/read", content=b"x" * 100).text == "100"
            time.sleep(0.4)


@pytest.mark.parametrize("asked_before", [False, True])
def test_a_websocket_that_is_silent_for_long_stays_open(
    port: int, asked_before: bool, caplog: pytest.LogCaptureFixture
):
    handshake = (
        b"GET /echo HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        if asked_before:
            client.sendall(b"GET /refuse HTTP/1.1\r\nHost: x\r\n\r\n")
            refused = b""
            while not refused.endswith(b"\r\n\r\nno"):
                refused += client.recv(4096)
        client.sendall(handshake)
        assert client.recv(4096).startswith(b"HTTP/1.1 101")
        time.sleep(1.5)
        client.sendall(bytes([0x81, 0x82, 0, 0, 0, 0]) + b"hi")
        assert client.recv(4096).startswith(bytes([0x81, 0x02]) + b"hi")
    assert not caplog.records
