"""What came as the body of a call: JSON, or a form with files."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from fastapi import Request
from starlette.datastructures import UploadFile

from backend.dialects.nested_fields import object_of_form
from backend.edge.body_limit import MAX_JSON_BYTES
from studio.errors import BadInput

MAX_FIELDS = 20_000
"""Of a form: 60 actions of 57 values come as 3,420 fields of OpenAI's client."""

MAX_FILES = 16


@dataclass(frozen=True)
class CallBody:
    """Fields by name, and files of a form by theirs."""

    fields: Mapping[str, Any]
    files: Mapping[str, UploadFile] = field(default_factory=dict[str, UploadFile])


async def read_body(request: Request) -> CallBody:
    """The body of a call.

    Raises:
        BadInput: it is neither JSON nor a form, or there are two files of one name.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in ("multipart/form-data", "application/x-www-form-urlencoded"):
        return await _form(request)
    raw = await request.body()
    body = await asyncio.to_thread(_object, raw)
    return CallBody(body)


async def _form(request: Request) -> CallBody:
    form = await request.form(max_files=MAX_FILES, max_fields=MAX_FIELDS, max_part_size=MAX_JSON_BYTES)
    files: dict[str, UploadFile] = {}
    texts: list[tuple[str, str]] = []
    for name, value in form.multi_items():
        if isinstance(value, str):
            texts.append((name, value))
            continue
        plain = name.removesuffix("[]").removesuffix("[0]")
        if plain in files:
            raise BadInput(f"There are two files {plain}; one is expected.", param=plain[:80])
        files[plain] = value
    return CallBody(object_of_form(texts), files)


def _object(raw: bytes) -> dict[str, Any]:
    try:
        body: object = json.loads(raw)
    except (ValueError, RecursionError):
        raise BadInput(
            "The body is neither JSON nor a form.",
            hint="Send an object with content-type application/json, or multipart/form-data.",
        ) from None
    if not isinstance(body, dict):
        raise BadInput("The body is no JSON object.", hint="Send an object.")
    return cast(dict[str, Any], body)
