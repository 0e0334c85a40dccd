"""What things are in a picture of the tabletop, read off its pixels: colour, shape, place and count.

It knows nothing of whoever made the picture: strong colours are things, for table, room and arm have none; the outline
of each says its shape. How often it is right on rendered pictures is the ceiling of every score that it gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from pocket.world.outline import Outline, shape_of

HUES: dict[str, tuple[float, float]] = {
    "red": (342.0, 15.0),
    "orange": (15.0, 39.0),
    "yellow": (39.0, 75.0),
    "green": (85.0, 175.0),
    "blue": (195.0, 255.0),
    "purple": (255.0, 330.0),
}
"""Degrees, from and to, counter-clockwise."""

MIN_SATURATION, MIN_BRIGHTNESS = 0.5, 0.09
"""A wooden table has 0.36 at most, the things 0.8 and more."""

MIN_SHARE = 0.0015
"""Of the picture: what is smaller is no thing."""


@dataclass(frozen=True)
class Found:
    """One thing that is seen.

    Attributes:
        column: "left", "middle" or "right", the third of the picture that its middle is in.
        box: x1 y1 x2 y2 on a grid of 0 to 1000.
        share: of the picture.
    """

    colour: str
    shape: str
    column: str
    box: tuple[float, float, float, float]
    share: float


@dataclass(frozen=True)
class Wanted:
    """Things of one kind that a prompt asks for.

    Attributes:
        column: of a single thing, or "" where the prompt does not say.
    """

    colour: str
    shape: str
    count: int = 1
    column: str = ""


@dataclass(frozen=True)
class Marks:
    """What of a prompt a picture follows. Things that nobody asked for count against all but place.

    Attributes:
        colours: the colours that are there are those asked for.
        shapes: likewise.
        count: as many things as asked for.
        places: every kind whose place was said is there, and is in its third.
        all_right: every kind is there with its colour and shape together, in its number and place, and nothing else is.
    """

    colours: bool
    shapes: bool
    count: bool
    places: bool
    all_right: bool


def read_picture(pixels: NDArray[np.uint8]) -> tuple[Found, ...]:
    """The things of a picture, from left to right.

    Args:
        pixels: uint8 [H, W, 3], RGB.
    """
    return tuple(found for found, _ in read_outlines(pixels))


def read_outlines(pixels: NDArray[np.uint8]) -> list[tuple[Found, Outline]]:
    """The same with what each shape was read off."""
    height, width = pixels.shape[:2]
    tones = cv2.cvtColor(pixels.astype(np.float32) / 255.0, cv2.COLOR_RGB2HSV)
    hue, saturation, brightness = tones[..., 0], tones[..., 1], tones[..., 2]
    strong = (saturation > MIN_SATURATION) & (brightness > MIN_BRIGHTNESS)
    found: list[tuple[Found, Outline]] = []
    for colour, (first, last) in HUES.items():
        inside = (hue >= first) & (hue < last) if first < last else (hue >= first) | (hue < last)
        mask = (strong & inside).astype(np.uint8)
        mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
        contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        for contour in contours:
            share = cv2.contourArea(contour) / (height * width)
            if share < MIN_SHARE:
                continue
            x, y, wide, high = cv2.boundingRect(contour)
            across = (x + wide / 2) / width
            box = (x / width * 1000, y / height * 1000, (x + wide) / width * 1000, (y + high) / height * 1000)
            column = ("left", "middle", "right")[min(2, int(across * 3))]
            outline = Outline.of(contour, brightness)
            found.append((Found(colour, shape_of(outline), column, box, share), outline))
    return sorted(found, key=lambda thing: thing[0].box[0])


def mark(found: Sequence[Found], wanted: Sequence[Wanted]) -> Marks:
    """How well what is there fits what was asked for."""
    kinds_found = [(thing.colour, thing.shape) for thing in found]
    kinds_wanted = [(wish.colour, wish.shape) for wish in wanted for _ in range(wish.count)]
    places = all(
        any((thing.colour, thing.shape, thing.column) == (wish.colour, wish.shape, wish.column) for thing in found)
        for wish in wanted
        if wish.column
    )
    return Marks(
        colours={colour for colour, _ in kinds_found} == {colour for colour, _ in kinds_wanted},
        shapes={shape for _, shape in kinds_found} == {shape for _, shape in kinds_wanted},
        count=len(kinds_found) == len(kinds_wanted),
        places=places,
        all_right=sorted(kinds_found) == sorted(kinds_wanted) and places,
    )
