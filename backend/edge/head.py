"""HEAD wherever GET is."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Head:
    """ASGI middleware: answers HEAD as GET is answered, and stops before the first byte of the body."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return

        async def send_start(message: Message) -> None:
            if message["type"] != "http.response.start":
                raise _Answered
            await send(message)

        try:
            await self._app({**scope, "method": "GET"}, receive, send_start)
        except* _Answered:  # in a group where the body was to be streamed
            await send({"type": "http.response.body"})


class _Answered(Exception):  # noqa: N818
    """Nothing more is to be said: an endless stream, and the reading of a long file, end here."""
