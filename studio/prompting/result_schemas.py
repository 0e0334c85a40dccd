"""What an answer is constrained to, by the parser that will read it. Texts and lists are bounded."""

from __future__ import annotations

from typing import Any

from studio.prompting.parsers import ParserName
from studio.prompting.results import GRID

MAX_ENTRIES = 64
MAX_LABEL = 120
MAX_CAPTION = 600

Schema = dict[str, Any]


def _text(most: int) -> Schema:
    return {"type": "string", "minLength": 1, "maxLength": most}


def _object(**fields: Schema) -> Schema:
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def _list(item: Schema, *, least: int = 0) -> Schema:
    return {"type": "array", "items": item, "minItems": least, "maxItems": MAX_ENTRIES}


def _coordinates(count: int) -> Schema:
    number = {"type": "integer", "minimum": 0, "maximum": GRID}
    return {"type": "array", "items": number, "minItems": count, "maxItems": count}


# `mm:ss.ff`: a JSON number may have any number of digits, this has eight characters.
_CLOCK: Schema = {"type": "string", "pattern": r"^[0-9]{2}:[0-5][0-9]\.[0-9]{2}$"}

SCHEMAS: dict[ParserName, Schema | None] = {
    "prose": None,
    "boxes": _list(_object(bbox_2d=_coordinates(4), label=_text(MAX_LABEL))),
    "points": _list(_object(point_2d=_coordinates(2), label=_text(MAX_LABEL))),
    "intervals": _list(_object(start=_CLOCK, end=_CLOCK, caption=_text(MAX_CAPTION))),
    "labels": _list(_object(subject_id=_text(8), category=_text(MAX_LABEL), caption=_text(MAX_CAPTION))),
    "steps": _list(_text(MAX_CAPTION), least=1),
    "verdict": _object(
        reason=_text(MAX_CAPTION),
        plausible={"type": "boolean"},
        score={"type": "integer", "minimum": 1, "maximum": 5},
    ),
}
"""By parser; prose is free."""
