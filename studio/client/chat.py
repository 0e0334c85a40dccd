"""A server's answer to a conversation, piece by piece as it comes."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from studio.client.connection import Connection, FailureBody, read_events
from studio.errors import ServerUnreachable, Unexpected

PATH = "/v1/chat/completions"

SILENCE_S = 600.0
"""For the first word, before which a long prompt is read; after it the server sends a comment every few seconds."""


class _Read(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Delta(_Read):
    content: str | None = None
    reasoning_content: str | None = None


class _PieceChoice(_Read):
    delta: _Delta = _Delta()
    finish_reason: str | None = None


class Piece(_Read):
    """One event of a streamed answer."""

    choices: tuple[_PieceChoice, ...] = ()
    usage: dict[str, Any] | None = None

    @property
    def text(self) -> str:
        """What has been said since the last one."""
        return "".join(choice.delta.content or "" for choice in self.choices)

    @property
    def thought(self) -> str:
        """What has been thought."""
        return "".join(choice.delta.reasoning_content or "" for choice in self.choices)

    @property
    def finish_reason(self) -> str | None:
        """Why the answer ends, on its last piece."""
        return next((choice.finish_reason for choice in self.choices if choice.finish_reason), None)


async def stream_chat(connection: Connection, body: Mapping[str, Any]) -> AsyncGenerator[Piece, None]:
    """An answer in pieces; see `StudioClient.chat`."""
    whole = {**body, "stream": True, "stream_options": {"include_usage": True}}
    async with connection.stream(PATH, method="POST", json=whole, silence_s=SILENCE_S) as response:
        async for _, data in read_events(response.aiter_bytes()):
            if data == b"[DONE]":
                return
            yield _piece(data)
    raise ServerUnreachable(f"{connection.base_url} closed the connection in the middle of its answer.")


def _piece(data: bytes) -> Piece:
    """One event. Raises what the server says went wrong in the middle of the answer."""
    try:
        if "error" in json.loads(data):
            raise FailureBody.model_validate_json(data).error.error()
        return Piece.model_validate_json(data)
    except (ValueError, TypeError, ValidationError):
        raise Unexpected(
            f"{PATH} streamed data that is not part of an answer.", hint="Check that the server has the same version."
        ) from None
