"""What an OpenAI-compatible endpoint says when it refuses, as our errors."""

from __future__ import annotations

import json
from typing import Annotated, Any, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from studio.errors import (
    BadInput,
    Busy,
    ServerUnreachable,
    StudioError,
    TooLarge,
    Unauthorized,
    every_error,
    rebuild,
)
from studio.requests import shown

MAX_SENTENCE = 1000
"""Characters of an error's sentence; whoever sends more is no Orrery."""


class _Open(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _OwnFailure(_Open):
    code: str
    message: Annotated[str, Field(max_length=MAX_SENTENCE)]
    param: Annotated[str | None, Field(max_length=MAX_SENTENCE)]
    hint: Annotated[str, Field(max_length=MAX_SENTENCE)]


class _OwnError(_Open):
    error: _OwnFailure


def refusal_of(address: str, status: int, raw: bytes) -> StudioError:
    """The error of an answer whose status is not 200."""
    own = _typed(raw)
    if own is not None:
        return own
    said = _said(raw)
    match status:
        case 401 | 403:
            return Unauthorized(f"{address} does not accept the key: {said}.", param="api_key", hint="Check the key.")
        case 404:
            return BadInput(
                f"{address} has no such model or route: {said}.", param="model", hint="GET /models lists its models."
            )
        case 413:
            return TooLarge(f"{address} takes no request of that size: {said}.", hint="Send smaller or fewer media.")
        case 429:
            return Busy(f"{address} is asked too often: {said}.", hint="Ask for fewer at once, or later.")
        case _ if status >= 500:
            return ServerUnreachable(f"{address} answered {status}: {said}.", hint="Its log says more.")
        case _:
            return BadInput(f"{address} answered {status}: {said}.", hint="Its message says what it does not take.")


def _typed(raw: bytes) -> StudioError | None:
    """The error of another Orrery, whose bodies name it."""
    try:
        error = _OwnError.model_validate_json(raw).error
    except ValidationError:
        return None
    known = {kind.code for kind in every_error()}
    return rebuild(error.code, error.message, error.param, error.hint) if error.code in known else None


def _said(raw: bytes) -> str:
    """The message of an OpenAI error body, or the beginning of whatever came."""
    try:
        body: Any = json.loads(raw)
        error: Any = cast(dict[str, Any], body).get("error", body)
        message = cast(dict[str, Any], error).get("message") if isinstance(error, dict) else error
        if isinstance(message, str) and message:
            return shown(message)
    except (ValueError, RecursionError, AttributeError):
        pass
    text = " ".join(raw[:400].decode(errors="replace").split())
    return shown(text) if text else "nothing"
