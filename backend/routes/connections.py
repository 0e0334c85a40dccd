"""Connections that stay open: a websocket's two directions, and streams that let go of something at their end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping

import structlog
from fastapi import WebSocket
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocketDisconnect, WebSocketState

from studio.errors import StudioError

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


KEEP_ALIVE_S = 15.0
"""Proxies close what is silent for a minute, some after half of one (nginx: proxy_read_timeout, 60 s)."""

COMMENT = ": still here\n\n"
"""A line that starts with a colon says nothing to the reader (WHATWG HTML, 9.2.6)."""


async def kept_alive(events: AsyncIterator[str], every_s: float = KEEP_ALIVE_S) -> AsyncIterator[str]:
    """The same events, with a comment whenever none came for so long."""
    coming = asyncio.ensure_future(_next(events))
    try:
        while True:
            await asyncio.wait({coming}, timeout=every_s)
            if not coming.done():
                yield COMMENT
                continue
            event = coming.result()
            if event is None:
                return
            yield event
            coming = asyncio.ensure_future(_next(events))
    finally:
        coming.cancel()


async def _next(events: AsyncIterator[str]) -> str | None:
    return await anext(events, None)


class ClosingStream(StreamingResponse):
    """A stream that lets go of something at its end, however it comes to that."""

    def __init__(
        self,
        pieces: AsyncIterator[str] | AsyncIterator[bytes],
        close: Callable[[], None],
        media_type: str,
        headers: Mapping[str, str],
    ) -> None:
        super().__init__(pieces, media_type=media_type, headers=headers)
        self._close = close

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it. One that does not come whole ends in its middle: the caller sees that, and the log says why."""
        try:
            await super().__call__(scope, receive, send)
        except StudioError as error:
            log.warning("broke_off", path=scope["path"], message=error.message)
        finally:
            self._close()
