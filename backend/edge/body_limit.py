"""How much anybody may send."""

from __future__ import annotations

from contextlib import suppress

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.errors import answer
from studio.errors import TooLarge

MAX_JSON_BYTES = 2 * 2**20
"""Two texts of 64 KiB in which every character is escaped, six bytes each, and room to spare."""

MAX_UPLOAD_BYTES = 64 * 2**20

MAX_CHAT_BYTES = 96 * 2**20
"""What a conversation shows stands in it as base64: 64 MiB of files, four bytes for three, and its words."""

CHAT_PATHS = ("/v1/chat/completions", "/v1/tasks/", "/v1/videos", "/v1/actions/")
"""Routes whose JSON may hold pictures and clips."""

STREAMED_PATHS = ("/v1/library/import", "/v1/datasets/")
MAX_STREAMED_BYTES = 2**40
"""A whole library, or a file of a data set, which is written to disk as it comes; what bounds it is the room there."""

MAX_LOGIN_BYTES = 16 * 2**10
"""A token of 4096 characters with each of them escaped, three bytes each: it is read before anybody is known."""


class BodyLimit:
    """ASGI middleware: refuses a body that is, or turns out to be, too large, on every path."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count one request's body as it comes."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        limit = limit_of(scope["path"], headers.get("content-type", ""))
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length) > limit:
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

        async def tell(message: Message) -> None:
            if received <= limit:
                await send(message)
            elif message["type"] == "http.response.start":
                # Whatever the application makes of a body that breaks off: this is why.
                await answer(too_large(limit))(scope, receive, send)

        with suppress(TooLarge):  # a mounted application answers, and raises it all the same
            await self._app(scope, count, tell)


def limit_of(path: str, content_type: str) -> int:
    """The bytes that a body may have: uploads go to our own routes only, and nobody has logged in at `/login` yet."""
    if path == "/login":
        return MAX_LOGIN_BYTES
    if path.startswith(STREAMED_PATHS):
        return MAX_STREAMED_BYTES
    if path.startswith(CHAT_PATHS):
        return MAX_CHAT_BYTES
    is_upload = path.startswith("/v1/") and content_type.lower().startswith("multipart/form-data")
    return MAX_UPLOAD_BYTES if is_upload else MAX_JSON_BYTES


def too_large(limit: int) -> TooLarge:
    """The refusal of a body over `limit` bytes."""
    return TooLarge(
        f"The body is larger than {limit:,} bytes.", hint="Send a smaller body; a prompt may have at most 65,536 bytes."
    )
