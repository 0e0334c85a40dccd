"""The scripted policy on a websocket, at `/` and where vLLM-Omni has its own; `GET /healthz` answers OK."""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from http import HTTPStatus

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from robot.scripted.wire import METADATA, answer
from studio.errors import CannotListen
from studio.wire.arrays import pack_message

PATHS = ("/", "/v1/realtime/robot/openpi")

MAX_FRAME_BYTES = 16 << 20
"""A canvas has 1 MB, three cameras at full size 8 MB. A larger frame closes the socket with 1009."""


@asynccontextmanager
async def run_server(host: str, port: int, token: str | None = None) -> AsyncGenerator[Server]:
    """The server, listening until left.

    Args:
        host: to listen on.
        port: 0 takes a free one.
        token: asked of everybody, as `Authorization: Bearer …` or `Api-Key …`; none asks nobody.

    Raises:
        CannotListen: the address is taken, or may not be used.
    """
    # Planning keeps a core busy for some 40 ms: one question at a time, and the sockets stay awake beside it.
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="scripted-policy") as planner:

        async def converse(connection: ServerConnection) -> None:
            await _converse(connection, planner)

        def admit(connection: ServerConnection, request: Request) -> Response | None:
            return _admit(connection, request, token)

        try:
            server = await serve(
                converse, host, port, process_request=admit, max_size=MAX_FRAME_BYTES, compression=None
            )
        except OSError as error:
            raise CannotListen(
                f"Cannot listen on {host}:{port}: {error.strerror or error}.", hint="Set another --port."
            ) from None
        async with server:
            yield server


def _admit(connection: ServerConnection, request: Request, token: str | None) -> Response | None:
    """Nothing, where the websocket may begin; else the HTTP answer."""
    path = request.path.partition("?")[0]
    if path == "/healthz":
        return connection.respond(HTTPStatus.OK, "OK\n")
    if path not in PATHS:
        return connection.respond(HTTPStatus.NOT_FOUND, f"There is no route {path}. Try {PATHS[0]}\n")
    kind, _, given = request.headers.get("Authorization", "").partition(" ")
    is_known = token is None or (
        kind.lower() in ("bearer", "api-key") and hmac.compare_digest(given.strip().encode(), token.encode())
    )
    return None if is_known else connection.respond(HTTPStatus.UNAUTHORIZED, "A token is required.\n")


async def _converse(connection: ServerConnection, planner: ThreadPoolExecutor) -> None:
    loop = asyncio.get_running_loop()
    previous_total_ms: float | None = None
    try:
        await connection.send(pack_message(METADATA))
        async for frame in connection:
            began_s = time.perf_counter()
            await connection.send(await loop.run_in_executor(planner, answer, frame, previous_total_ms))
            previous_total_ms = (time.perf_counter() - began_s) * 1e3
    except ConnectionClosed:
        # Clients leave as they like; there is nothing of theirs to clean up.
        return
