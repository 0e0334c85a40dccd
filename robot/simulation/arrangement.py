"""Which things lie on the table and where, as a function of a seed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robot.objects import Shape

COLOURS: dict[str, tuple[float, float, float]] = {
    "red": (0.80, 0.09, 0.08),
    "green": (0.10, 0.55, 0.18),
    "blue": (0.10, 0.22, 0.78),
    "yellow": (0.90, 0.76, 0.08),
    "purple": (0.48, 0.12, 0.58),
    "orange": (0.92, 0.43, 0.06),
}

SLOTS: tuple[Shape, ...] = ("cube", "cube", "cylinder", "cylinder", "bowl")
"""What every table holds; a slot's colour and place differ by seed."""

HALF_SIZES: dict[Shape, tuple[float, float, float]] = {
    "cube": (0.022, 0.022, 0.022),
    "cylinder": (0.022, 0.022, 0.03),
    "ball": (0.024, 0.024, 0.024),
    "bowl": (0.066, 0.066, 0.024),
}
"""m. The gripper opens to 85 mm; the bowl is taken by its rim."""

CLEARANCE_M: dict[Shape, float] = {"cube": 0.065, "cylinder": 0.065, "ball": 0.065, "bowl": 0.105}
"""What a thing keeps free around its middle, so that open fingers fit beside it."""

REGION = ((0.36, 0.66), (-0.27, 0.27))
"""m, forward and left of the arm's base: what it reaches from above and all three cameras see."""

MAX_TURN = 0.6
"""rad."""


@dataclass(frozen=True)
class Placed:
    """One thing of the table.

    Attributes:
        place: float64 [2], m, of its middle.
        turn: about the upright axis, rad.
        half_size: m, half of its extent along its own axes.
    """

    colour: str
    shape: Shape
    place: NDArray[np.float64]
    turn: float
    half_size: tuple[float, float, float]


def arrange(seed: int) -> tuple[Placed, ...]:
    """The table of a seed, in the order of ``SLOTS``. The first cube is always red, so that there is one to ask for.

    Two things of one shape never have one colour: "red cube" names one thing.
    """
    generator = np.random.default_rng(seed)
    colours = ["red", *generator.permutation([colour for colour in COLOURS if colour != "red"])][: len(SLOTS)]
    places = _scatter(generator)
    turns = generator.uniform(-MAX_TURN, MAX_TURN, len(SLOTS))
    return tuple(
        Placed(str(colour), shape, place, float(turn), HALF_SIZES[shape])
        for colour, shape, place, turn in zip(colours, SLOTS, places, turns, strict=True)
    )


def _scatter(generator: np.random.Generator) -> list[NDArray[np.float64]]:
    """Places that keep every thing's clearance."""
    while True:
        places: list[NDArray[np.float64]] = []
        for shape in SLOTS:
            place = _find_room(generator, shape, places)
            if place is None:
                break
            places.append(place)
        else:
            return places


def _find_room(
    generator: np.random.Generator, shape: Shape, taken: list[NDArray[np.float64]]
) -> NDArray[np.float64] | None:
    """A place that is clear of those taken, or None where fifty throws found none."""
    lows, highs = zip(*REGION, strict=True)
    for _ in range(50):
        place = generator.uniform(lows, highs)
        if all(
            np.hypot(*(place - other)) > CLEARANCE_M[shape] + CLEARANCE_M[SLOTS[index]]
            for index, other in enumerate(taken)
        ):
            return place
    return None
