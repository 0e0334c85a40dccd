"""What is wrong with a form, field by field, in words that stand below the field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from frontend import text
from frontend.fields import nest


def mistakes(model: type[BaseModel], values: Mapping[str, Any]) -> dict[str, str]:
    """What a request's own bounds mind about a form.

    Args:
        model: the request.
        values: by dotted path.

    Returns:
        What to say, by dotted path; empty when the form is a request. A mistake of the whole has the path "".
    """
    try:
        model.model_validate(nest(values))
    except ValidationError as error:
        return {".".join(map(str, detail["loc"])): _plain(detail) for detail in error.errors(include_url=False)}
    return {}


def _plain(detail: ErrorDetails) -> str:
    words = text.MISTAKES.get(detail["type"])
    if words is not None:
        return words.format(**detail.get("ctx", {}))
    message = detail["msg"].removeprefix("Value error, ")
    return message[:1].upper() + message[1:]
