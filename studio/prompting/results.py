"""What a reasoner's answer says, as types, and what it is constrained to by the parser that will read it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from studio.captions.answer_schema import list_schema, object_schema, text_schema
from studio.requests import Frozen

GRID = 1000
"""Boxes and points are given on a grid of 0 to 1000, each axis on its own, whatever the picture's shape."""
MAX_RESULTS = 256

ParserName = Literal["prose", "boxes", "points", "intervals", "labels", "steps", "verdict"]
"""The forms that answers have; each has a parser, and a schema that constrains what it will read."""

Coordinate = Annotated[float, Field(ge=0, le=GRID)]


class Box(Frozen):
    """A rectangle in a picture.

    Attributes:
        label: what is in it.
        box_2d: (x1, y1, x2, y2) on the grid, top left and bottom right.
        pixels: the same in the picture's pixels, when its size is known.
    """

    type: Literal["box"] = "box"
    label: str = ""
    box_2d: tuple[Coordinate, Coordinate, Coordinate, Coordinate]
    pixels: tuple[float, float, float, float] | None = None


class Point(Frozen):
    """A place in a picture; of a trajectory, the next place.

    Attributes:
        label: what is there.
        point_2d: (x, y) on the grid.
        pixels: the same in the picture's pixels, when its size is known.
    """

    type: Literal["point"] = "point"
    label: str = ""
    point_2d: tuple[Coordinate, Coordinate]
    pixels: tuple[float, float] | None = None


class Interval(Frozen):
    """A stretch of a clip, in seconds from its beginning."""

    type: Literal["interval"] = "interval"
    start_s: float = Field(ge=0)
    end_s: float = Field(ge=0)
    label: str = ""


class Label(Frozen):
    """A subject: its mark in the picture, its category and what is to be said about it."""

    type: Literal["label"] = "label"
    subject_id: str = ""
    category: str
    caption: str = ""


class Step(Frozen):
    """One step of a plan; the first is number 1."""

    type: Literal["step"] = "step"
    number: int = Field(ge=1)
    text: str


class Verdict(Frozen):
    """A judgement.

    Attributes:
        plausible: yes, no, or not said.
        score: 1 (breaks physical laws throughout) to 5 (keeps them throughout), or not said.
        reason: in words.
    """

    type: Literal["verdict"] = "verdict"
    plausible: bool | None = None
    score: int | None = Field(default=None, ge=1, le=5)
    reason: str = ""


class Prose(Frozen):
    """Words."""

    type: Literal["prose"] = "prose"
    text: str


Result = Annotated[Box | Point | Interval | Label | Step | Verdict | Prose, Field(discriminator="type")]


class Frame(Frozen):
    """What is known of the medium that was looked at: a picture's size in pixels, a clip's length."""

    width: int | None = Field(default=None, ge=1)
    height: int | None = Field(default=None, ge=1)
    duration_s: float | None = Field(default=None, gt=0)


class Parsed(Frozen):
    """What a parser made of an answer.

    Attributes:
        results: in the order of the answer.
        skipped: why an entry was left out, one sentence each.
    """

    results: tuple[Result, ...]
    skipped: tuple[str, ...] = ()


MAX_ENTRIES = 64
MAX_LABEL = 120
MAX_CAPTION = 600

Schema = dict[str, Any]


def coordinates_schema(count: int) -> Schema:
    """So many whole numbers on the grid."""
    number = {"type": "integer", "minimum": 0, "maximum": GRID}
    return list_schema(number, count, least=count)


def _entries(**fields: Schema) -> Schema:
    return list_schema(object_schema(**fields), MAX_ENTRIES)


_LABEL, _CAPTION = text_schema(MAX_LABEL), text_schema(MAX_CAPTION)

# `mm:ss.ff`: a JSON number may have any number of digits, this has eight characters.
_CLOCK: Schema = {"type": "string", "pattern": r"^[0-9]{2}:[0-5][0-9]\.[0-9]{2}$"}

SCHEMAS: dict[ParserName, Schema | None] = {
    "prose": None,
    "boxes": _entries(bbox_2d=coordinates_schema(4), label=_LABEL),
    "points": _entries(point_2d=coordinates_schema(2), label=_LABEL),
    "intervals": _entries(start=_CLOCK, end=_CLOCK, caption=_CAPTION),
    "labels": _entries(subject_id=text_schema(8), category=_LABEL, caption=_CAPTION),
    "steps": list_schema(_CAPTION, MAX_ENTRIES, least=1),
    "verdict": object_schema(
        reason=_CAPTION,
        plausible={"type": "boolean"},
        score={"type": "integer", "minimum": 1, "maximum": 5},
    ),
}
"""By parser; prose is free."""
