"""What a checkpoint takes in place of a value that it refuses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from studio.requests import Request
from studio.rules.canvas import CANVASES
from studio.rules.capabilities import Capabilities
from studio.rules.table import LIMITS, RULES


def nearest_value(request: Request, field: str, capabilities: Capabilities) -> Any:
    """The nearest value of a ruled field that would not be refused; None where another one would be another request.

    Sizes, shapes and numbers have a nearest; a kind, a body and a control have none.
    """
    for limit in LIMITS:
        if limit.field == field and limit.rules(request.kind):
            low, high = limit.range(capabilities, request)
            said = attrgetter(field)(request)
            return type(said)(min(max(said, low), high)) if low <= high else None
    options = next(
        (tuple(rule.allowed(capabilities)) for rule in RULES if rule.field == field and rule.rules(request.kind)), ()
    )
    said = getattr(request, field, None)
    if field == "resolution" and options:
        return max((option for option in options if int(option) <= int(str(said))), key=int, default=min(options))
    if field == "aspect_ratio" and options:
        return _nearest_shape(str(said), options)
    return False if field == "sound" else None


def _nearest_shape(said: str, options: Sequence[str]) -> str:
    def ratio(shape: str) -> float:
        width, height = next(size for name, size in CANVASES["720"].items() if name == shape)
        return math.log(width / height)

    return min(options, key=lambda option: abs(ratio(option) - ratio(said)))
