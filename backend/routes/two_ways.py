"""A websocket's two directions, until either ends."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine

import structlog
from fastapi import WebSocket
from starlette.websockets import WebSocketDisconnect, WebSocketState

log = structlog.get_logger("orrery.sockets")


async def both_ways(reading: Coroutine[object, object, None], writing: Coroutine[object, object, None]) -> None:
    """Run both; the one that is left when the other ends is given up. A closed socket is no error."""
    tasks = [asyncio.create_task(reading), asyncio.create_task(writing)]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        for outcome in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(outcome, Exception) and not isinstance(outcome, WebSocketDisconnect):
                log.error("socket_broke", exc_info=outcome)


async def receive(socket: WebSocket) -> str | bytes:
    """The next frame.

    Raises:
        WebSocketDisconnect: there is none.
    """
    received = await socket.receive()
    if received["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(received["code"], received.get("reason"))
    text = received.get("text")
    return text if text is not None else received["bytes"]


async def close(socket: WebSocket, code: int, reason: str) -> None:
    """Close it with a reason, unless it is closed."""
    if socket.application_state is WebSocketState.CONNECTED and socket.client_state is WebSocketState.CONNECTED:
        await socket.close(code, reason.encode()[:MAX_REASON_BYTES].decode(errors="ignore"))


MAX_REASON_BYTES = 123
"""RFC 6455, 5.5: a control frame has 125 bytes, two of them the code."""
