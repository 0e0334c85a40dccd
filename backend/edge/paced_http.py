"""HTTP for clients that are slow, and for those that pretend to be: a request comes at a pace, or is given up.

uvicorn waits for the rest of a request for ever. A limit on the whole time would cut off large uploads over slow links;
what is limited is the time for the headers, and how long a body may come more slowly than any link that is of use.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
import structlog
from starlette.responses import JSONResponse, Response
from uvicorn.protocols.http.h11_impl import H11Protocol

from backend.errors import ErrorBody, answer
from studio.errors import BadInput, TooSlow
from studio.jobs import Failure

log = structlog.get_logger("orrery.http")

HEAD_S = 20.0
"""For a request's headers, from when the connection is made or the first byte of a further request has come."""

BODY_S = 30.0
BODY_BYTES = 15_000
"""Of a body in any `BODY_S`, unless it ends: 500 bytes a second, as Apache's mod_reqtimeout has it."""

Awaited = type[h11.IDLE] | type[h11.SEND_BODY] | None


class PacedHttp(H11Protocol):
    """One connection. What it waits for is h11's state of the client: `IDLE` for headers, `SEND_BODY` for a body."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._awaited: Awaited = None
        self._came_bytes = 0
        self._was_held = False
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first headers."""
        super().connection_made(transport)
        self._follow()

    def data_received(self, data: bytes) -> None:
        """Count it."""
        self._came_bytes += len(data)
        super().data_received(data)
        self._was_held |= self.flow.read_paused
        self._follow()

    def on_response_complete(self) -> None:
        """Another request may follow at once; until its first byte uvicorn's keep-alive has its own limit."""
        super().on_response_complete()
        self._follow()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        super().connection_lost(exc)
        self._wait_for(None)

    def _follow(self) -> None:
        """Begin anew where something else is awaited than before."""
        state = self.conn.their_state
        awaited: Awaited = None
        # What has become a websocket has a protocol and limits of its own.
        is_ours = self.transport.get_protocol() is self
        if is_ours and (state is h11.SEND_BODY or (state is h11.IDLE and self.timeout_keep_alive_task is None)):
            awaited = state
        if awaited is not self._awaited:
            self._wait_for(awaited)

    def _wait_for(self, awaited: Awaited) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._awaited, self._came_bytes, self._timer = awaited, 0, None
        self._was_held = self.flow.read_paused
        if awaited is not None and not self.transport.is_closing():
            self._timer = self.loop.call_later(HEAD_S if awaited is h11.IDLE else BODY_S, self._judge)

    def _judge(self) -> None:
        in_body = self._awaited is h11.SEND_BODY
        # A client that we have held back, or not yet told to go on, is not slow.
        is_held = in_body and (self._was_held or self.cycle.waiting_for_100_continue)
        if in_body and (is_held or self._came_bytes >= BODY_BYTES):
            self._wait_for(self._awaited)
            return
        what = "body" if in_body else "headers"
        log.info("too_slow", awaited=what, client=self.client[0] if self.client else None)
        if in_body:
            self.cycle.disconnected = True  # whatever the application still says, it is over
            self.cycle.message_event.set()
        if in_body or self.conn.trailing_data[0]:
            self._say(answer(TooSlow(f"The request's {what} arrived too slowly.", hint="Use a faster connection.")))
        self._wait_for(None)
        self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, in our shape and with the headers of every answer."""
        error = ErrorBody(error=Failure.of(BadInput(msg, hint="Send HTTP/1.1, with headers of at most 16 KiB.")))
        self._say(JSONResponse(error.model_dump(mode="json"), 400))
        self.transport.close()

    def _say(self, said: Response) -> None:
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return  # in the middle of another answer
        headers = [*self.server_state.default_headers, *said.raw_headers, (b"connection", b"close")]
        for event in (
            h11.Response(status_code=said.status_code, headers=headers),
            h11.Data(data=bytes(said.body)),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
