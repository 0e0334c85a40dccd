import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosedError, InvalidStatus

from robot.scripted import server as server_module
from robot.scripted.server import run_server
from robot.scripted.wire import METADATA
from robot_requests import scripted_request as request
from studio.errors import CannotListen
from studio.wire.arrays import pack_message, unpack_message

TIMEOUT_S = 60


def talk(conversation: Callable[[str], Awaitable[Any]], token: str | None = None) -> Any:
    """Run a conversation with a server on a free port, given its address."""

    async def run() -> Any:
        async with asyncio.timeout(TIMEOUT_S), run_server("127.0.0.1", 0, token) as server:
            port = server.sockets[0].getsockname()[1]
            return await conversation(f"ws://127.0.0.1:{port}")

    return asyncio.run(run())


async def ask(socket: ClientConnection, message: object) -> Any:
    await socket.send(pack_message(message))
    return unpack_message(await socket.recv())  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("path", ["/", "/v1/realtime/robot/openpi"])
def test_metadata_comes_first_and_then_an_answer_for_every_question(path: str):
    async def conversation(address: str) -> None:
        async with connect(address + path) as socket:
            assert unpack_message(await socket.recv()) == METADATA  # pyright: ignore[reportArgumentType]
            first = await ask(socket, request())
            second = await ask(socket, request())
            reset = await ask(socket, {"endpoint": "reset"})

        assert first["action"].shape == (32, 8)
        assert second["server_timing"]["prev_total_ms"] > 0
        assert reset["status"] == "reset successful"

    talk(conversation)


def test_after_a_failure_the_socket_goes_on():
    async def conversation(address: str) -> None:
        async with connect(address) as socket:
            await socket.recv()
            assert (await ask(socket, request(prompt="pick up the pink cube")))["code"] == "object_not_found"
            await socket.send(b"\xc1")
            assert unpack_message(await socket.recv())["type"] == "error"  # pyright: ignore[reportArgumentType]
            assert "action" in await ask(socket, request())

    talk(conversation)


def test_a_frame_that_is_too_large_closes_the_socket_and_no_other(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(server_module, "MAX_FRAME_BYTES", 2 << 20)

    async def conversation(address: str) -> int:
        async with connect(address) as other, connect(address) as socket:
            await other.recv()
            await socket.recv()
            await socket.send(b"\0" * ((2 << 20) + 1))
            with pytest.raises(ConnectionClosedError) as caught:
                await socket.recv()
            assert "action" in await ask(other, request())
            assert caught.value.rcvd is not None
            return caught.value.rcvd.code

    assert talk(conversation) == 1009


@pytest.mark.parametrize("header", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic secret"}])
def test_without_the_token_nobody_comes_in(header: dict[str, str]):
    async def conversation(address: str) -> int:
        with pytest.raises(InvalidStatus) as caught:
            async with connect(address, additional_headers=header):
                pass
        return caught.value.response.status_code

    assert talk(conversation, token="secret") == 401


@pytest.mark.parametrize("kind", ["Bearer", "Api-Key"])
def test_the_token_opens_in_either_clients_way(kind: str):
    async def conversation(address: str) -> Any:
        async with connect(address, additional_headers={"Authorization": f"{kind} secret"}) as socket:
            return unpack_message(await socket.recv())  # pyright: ignore[reportArgumentType]

    assert talk(conversation, token="secret") == METADATA


def test_another_path_is_not_served():
    async def conversation(address: str) -> int:
        with pytest.raises(InvalidStatus) as caught:
            async with connect(address + "/else"):
                pass
        return caught.value.response.status_code

    assert talk(conversation) == 404


def test_it_is_healthy_while_a_question_is_thought_over(monkeypatch: pytest.MonkeyPatch):
    """The question waits in its thread until the health check was answered."""

    async def conversation(address: str) -> bytes:
        asked = asyncio.Event()
        loop = asyncio.get_running_loop()
        answered = asyncio.Event()

        def think(frame: bytes | str, previous_total_ms: float | None = None) -> bytes:
            loop.call_soon_threadsafe(asked.set)
            asyncio.run_coroutine_threadsafe(answered.wait(), loop).result(TIMEOUT_S)
            return pack_message({"done": True})

        monkeypatch.setattr(server_module, "answer", think)
        async with connect(address) as socket:
            await socket.recv()
            await socket.send(b"question")
            await asked.wait()
            host, port = address.removeprefix("ws://").split(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n")
            head = await reader.readline()
            writer.close()
            answered.set()
            assert unpack_message(await socket.recv()) == {"done": True}  # pyright: ignore[reportArgumentType]
            return head

    assert b"200" in talk(conversation)


def test_a_taken_port_is_said_in_words():
    async def conversation(address: str) -> None:
        port = int(address.rsplit(":", 1)[1])
        with pytest.raises(CannotListen, match=str(port)):
            async with run_server("127.0.0.1", port):
                pass

    talk(conversation)


def test_the_program_says_where_it_listens_and_ends_when_told():
    program = subprocess.Popen(
        [sys.executable, "-m", "robot.scripted", "--port", "0"],
        stdout=subprocess.PIPE,
        env={**os.environ, "ORRERY_TOKEN": ""},
        text=True,
    )
    assert program.stdout is not None
    address = json.loads(program.stdout.readline())["listening"]

    async def conversation() -> Any:
        async with asyncio.timeout(TIMEOUT_S), connect(address) as socket:
            await socket.recv()
            return await ask(socket, request())

    reply = asyncio.run(conversation())
    program.send_signal(signal.SIGTERM)

    assert reply["action"].shape == (32, 8)
    assert program.wait(TIMEOUT_S) == 0
    program.stdout.close()


def test_the_program_listens_to_other_machines_only_with_a_token():
    done = subprocess.run(
        [sys.executable, "-m", "robot.scripted", "--host", "0.0.0.0", "--port", "0"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "ORRERY_TOKEN": ""},
    )

    assert done.returncode == 1
    assert "--token" in done.stderr
