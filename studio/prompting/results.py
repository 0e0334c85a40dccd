"""What a reasoner's answer says, as types."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from studio.requests import Frozen

GRID = 1000
"""Boxes and points are given on a grid of 0 to 1000, each axis on its own, whatever the picture's shape."""
MAX_RESULTS = 256

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
