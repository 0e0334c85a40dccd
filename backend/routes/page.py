"""What is not there is said in one shape, also where the page's library answers."""

from __future__ import annotations

import json
from typing import Any, cast

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.errors import refusal


class PageErrors:
    """ASGI middleware: a 404 or 405 that is JSON with a `detail` is said in our shape.

    Everything else passes: the page's own script reads the `detail` of a 422 or 503 of its queue.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        await self._app(scope, receive, _Reshaped(scope, send) if scope["type"] == "http" else send)


class _Reshaped:
    """Holds back an error until it is whole, then sends it in our shape."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope = scope
        self._send = send
        self._start: Message | None = None
        self._held = bytearray()

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_json_refusal(message):
            self._start = message
            return
        if self._start is None:
            await self._send(message)
            return
        self._held += message.get("body", b"")
        if message.get("more_body"):
            return
        body = bytes(self._held)
        detail = _detail(body)
        if detail is not None:
            answer = refusal(self._start["status"], self._scope["method"], self._scope["path"], detail)
            body = bytes(answer.body)
        headers = [(name, value) for name, value in self._start["headers"] if name.lower() != b"content-length"]
        await self._send({**self._start, "headers": [*headers, (b"content-length", str(len(body)).encode())]})
        await self._send({"type": "http.response.body", "body": body})


def _is_json_refusal(message: Message) -> bool:
    headers = Headers(raw=message.get("headers", []))
    return (
        message["status"] in (404, 405)
        and headers.get("content-type", "").startswith("application/json")
        and "content-encoding" not in headers
    )


def _detail(body: bytes) -> object:
    """What an error of the page's library says, or none when it is another's."""
    try:
        said: object = json.loads(body)
    except ValueError:
        return None
    return cast(dict[str, Any], said).get("detail") if isinstance(said, dict) and "error" not in said else None
