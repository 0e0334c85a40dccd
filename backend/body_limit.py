"""How much anybody may send."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.errors import answer
from studio.errors import TooLarge

MAX_JSON_BYTES = 2 * 2**20
"""Two texts of 64 KiB in which every character is escaped, six bytes each, and room to spare."""

MAX_UPLOAD_BYTES = 64 * 2**20


class BodyLimit:
    """ASGI middleware: refuses a body that is, or turns out to be, too large. Only our own routes are limited here."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count one request's body as it comes."""
        if scope["type"] != "http" or not scope["path"].startswith("/v1/"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        is_upload = headers.get("content-type", "").startswith("multipart/form-data")
        limit = MAX_UPLOAD_BYTES if is_upload else MAX_JSON_BYTES
        length = headers.get("content-length", "0")
        if length.isdigit() and int(length) > limit:
            await answer(too_large(limit))(scope, receive, send)
            return
        received = 0

        async def count() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > limit:
                raise too_large(limit)
            return message

        await self._app(scope, count, send)


def too_large(limit: int) -> TooLarge:
    """The refusal of a body over `limit` bytes."""
    return TooLarge(f"The body is larger than {limit:,} bytes.", hint="Send less; a prompt takes 65,536 bytes at most.")
