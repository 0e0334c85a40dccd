"""JSON objects off a robot's wire, and the first of them."""

from __future__ import annotations

import json
import math
from typing import Annotated, Any, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from studio.errors import BadInput


class Hello(BaseModel):
    """What a bridge says of itself; `limits` as it came: soft_min, soft_max [7] rad and velocity [7] rad/s."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: Annotated[str, Field(pattern=r"^[\w .-]{1,40}$")]
    arm: Annotated[str, Field(max_length=40)]
    model: Annotated[str, Field(max_length=40)]
    policy: Annotated[str, Field(max_length=400)] = ""
    limits: dict[str, list[float]]


def parse_object(text: str) -> dict[str, Any]:
    """The JSON object of a text frame.

    Raises:
        BadInput: it is none.
    """
    try:
        message = json.loads(text, parse_float=_finite, parse_constant=_finite)
    except (ValueError, RecursionError):
        raise BadInput("The message is not JSON, or a number in it is not finite.") from None
    if not isinstance(message, dict):
        raise BadInput(f"The message is a {type(message).__name__}; expected an object.")
    return cast("dict[str, Any]", message)


def parse_hello(message: dict[str, Any]) -> Hello:
    """A bridge's first message.

    Raises:
        BadInput: it is another, or lacks something.
    """
    if message.get("type") != "hello":
        raise BadInput("The first message of a bridge must be its hello.")
    try:
        return Hello.model_validate(message)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        path = ".".join(str(part) for part in first["loc"])
        raise BadInput(f"{path} of the hello: {first['msg']}.", param=path) from None


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value
