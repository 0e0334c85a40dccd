"""What lies on the table of a seed, where, of what and in which light."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pocket.world.episode import View
from robot.objects import Shape
from robot.simulation.arrangement import COLOURS, HALF_SIZES, MAX_TURN, REGION, SLOTS, Placed
from robot.simulation.scene import DEFAULT_LOOK, MASSES_KG, Colour, Light, Look, ThingKind

TABLES: dict[str, Colour] = {
    "light wooden": (0.74, 0.66, 0.55),
    "wooden": (0.66, 0.56, 0.44),
    "dark wooden": (0.36, 0.29, 0.23),
    "white": (0.86, 0.86, 0.85),
    "grey": (0.55, 0.56, 0.57),
    "black": (0.14, 0.14, 0.15),
}
"""None is as strong in colour as any thing."""

MATERIALS: dict[str, tuple[float, float, float]] = {
    "matte": (0.05, 0.1, 1.0),
    "glossy": (0.6, 0.6, 1.0),
    "metal": (1.0, 0.85, 2.2),
}
"""Specular and shininess as MuJoCo has them, and how much heavier than usual a thing is."""

LIGHTINGS: dict[str, tuple[float, float, float]] = {
    "soft even": (0.45, 0.25, 0.22),
    "bright": (0.38, 0.62, 0.16),
    "dim": (0.26, 0.30, 0.10),
    "strong side": (0.22, 0.70, 0.08),
}
"""Ambient, main light and headlight, 0 to 1."""

SIDES: dict[str, tuple[float, float]] = {"the left": (0.0, -1.0), "the right": (0.0, 1.0), "the front": (1.0, 0.0)}
"""Where the light comes from for who faces the arm, and in what direction of the table (x, y) it comes from there."""

SHAPES: tuple[Shape, ...] = ("cube", "cylinder", "ball")

BRIDGE_SHARE = 0.6
"""Of policy runs: room, light and things just as the bridge's own."""

_CLEAR_M = 0.028
"""Around things of clips, so that open fingers fit beside them."""


@dataclass(frozen=True)
class Stage:
    """A table that is laid.

    Attributes:
        materials: of the things, names of ``MATERIALS``.
        table, lighting, light_from: names of ``TABLES``, ``LIGHTINGS`` and ``SIDES``.
    """

    kinds: tuple[ThingKind, ...]
    placed: tuple[Placed, ...]
    materials: tuple[str, ...]
    look: Look
    table: str
    lighting: str
    light_from: str


def set_stage(view: View, generator: np.random.Generator) -> Stage:
    """The table of an episode: large things close together for stills, what the gripper can hold for the rest."""
    if view == "still" and generator.random() < 0.75:
        shapes, colours = draw_groups(generator)
        growth = generator.uniform(1.35, 1.8)
        region = ((0.42, 0.64), (-0.15, 0.15))
    elif view == "policy" and generator.random() < 0.7:
        # The bridge's own table: what the policy will be tried on.
        shapes = SLOTS
        colours = ("red", *generator.permutation([name for name in COLOURS if name != "red"]))[: len(SLOTS)]
        growth, region = 1.0, REGION
    else:
        shapes, colours = _singles(generator)
        growth = 1.0 if view == "policy" else generator.uniform(1.12, 1.32)
        region = REGION if view == "policy" else ((0.42, 0.62), (-0.2, 0.2))
    sizes = [_size(shape, growth, view, generator) for shape in shapes]
    placed = _scatter(generator, shapes, [str(colour) for colour in colours], sizes, region)
    if view == "policy" and generator.random() < BRIDGE_SHARE:
        kinds = tuple(ThingKind(shape, size, MASSES_KG[shape]) for shape, size in zip(shapes, sizes, strict=True))
        return Stage(kinds, placed, ("matte",) * len(kinds), DEFAULT_LOOK, "wooden", "soft even", "the left")
    materials = tuple(str(name) for name in generator.choice(list(MATERIALS), len(shapes), p=[0.45, 0.35, 0.2]))
    kinds = tuple(
        ThingKind(
            shape,
            size,
            MASSES_KG[shape] * MATERIALS[material][2] * float(np.prod(size) / np.prod(HALF_SIZES[shape])) ** 0.5,
            MATERIALS[material][0],
            MATERIALS[material][1],
        )
        for shape, size, material in zip(shapes, sizes, materials, strict=True)
    )
    table, lighting, light_from = _surroundings(generator)
    look = _look(table, lighting, light_from, generator)
    return Stage(kinds, placed, materials, look, table, lighting, light_from)


def draw_groups(generator: np.random.Generator) -> tuple[list[Shape], list[str]]:
    """One to four things, sometimes several alike: "three red cubes", "two blue balls and a green cylinder"."""
    shapes: list[Shape] = []
    colours: list[str] = []
    names: list[tuple[str, Shape]] = [(colour, shape) for colour in COLOURS for shape in SHAPES]
    generator.shuffle(names)
    num_things = int(generator.choice([1, 2, 3, 4], p=[0.3, 0.3, 0.25, 0.15]))
    for colour, shape in names:
        left = num_things - len(shapes)
        if left == 0:
            break
        num_alike = int(generator.integers(1, left + 1)) if generator.random() < 0.4 else 1
        for _ in range(num_alike):
            shapes.append(shape)
            colours.append(colour)
    return shapes, colours


def _singles(generator: np.random.Generator) -> tuple[list[Shape], list[str]]:
    """One to five things with a name each; often a bowl among them."""
    num_things = int(generator.choice([1, 2, 3, 4], p=[0.15, 0.3, 0.35, 0.2]))
    shapes: list[Shape] = [SHAPES[int(index)] for index in generator.integers(len(SHAPES), size=num_things)]
    if generator.random() < 0.6:
        shapes.append("bowl")
    return shapes, [str(colour) for colour in generator.permutation(list(COLOURS))[: len(shapes)]]


def _size(shape: Shape, growth: float, view: View, generator: np.random.Generator) -> tuple[float, float, float]:
    each = 1.0 if view == "policy" else generator.uniform(0.92, 1.08)
    # A bowl is large as it is.
    scale = each * (growth if shape != "bowl" else min(growth, 1.0))
    x, y, z = HALF_SIZES[shape]
    return (x * scale, y * scale, z * scale)


def _scatter(
    generator: np.random.Generator,
    shapes: Sequence[Shape],
    colours: Sequence[str],
    sizes: Sequence[tuple[float, float, float]],
    region: tuple[tuple[float, float], tuple[float, float]],
) -> tuple[Placed, ...]:
    """Places with room around them; where none is found the region grows."""
    lows, highs = np.array(region).T
    while True:
        places: list[NDArray[np.float64]] = []
        for index, size in enumerate(sizes):
            for _ in range(40):
                place = generator.uniform(lows, highs)
                if all(
                    np.hypot(*(place - other)) > _around(size) + _around(sizes[before])
                    for before, other in enumerate(places)
                ):
                    places.append(place)
                    break
            if len(places) <= index:
                break
        if len(places) == len(sizes):
            break
        lows, highs = lows - 0.01, highs + 0.01
    turns = generator.uniform(-MAX_TURN, MAX_TURN, len(sizes))
    return tuple(
        Placed(colour, shape, place, float(turn), size)
        for colour, shape, place, turn, size in zip(colours, shapes, places, turns, sizes, strict=True)
    )


def _around(size: tuple[float, float, float]) -> float:
    return float(size[0]) * 1.2 + _CLEAR_M


def _surroundings(generator: np.random.Generator) -> tuple[str, str, str]:
    return (
        str(generator.choice(list(TABLES))),
        str(generator.choice(list(LIGHTINGS), p=[0.4, 0.3, 0.15, 0.15])),
        str(generator.choice(list(SIDES))),
    )


def _look(table: str, lighting: str, light_from: str, generator: np.random.Generator) -> Look:
    ambient, main, headlight = (value * generator.uniform(0.92, 1.08) for value in LIGHTINGS[lighting])
    x, y = SIDES[light_from]
    slant = 0.9 if lighting == "strong side" else 0.5
    direction = (-slant * x + generator.normal(0, 0.08), -slant * y + generator.normal(0, 0.08), -1.0)
    shade = generator.uniform(0.95, 1.05)
    table_colour = tuple(float(np.clip(value * shade, 0, 1)) for value in TABLES[table])
    wall = float(generator.uniform(0.6, 0.85))
    floor = float(generator.uniform(0.35, 0.6))
    return Look(
        table=(table_colour[0], table_colour[1], table_colour[2]),
        floor=(floor, floor, floor),
        wall=(wall, wall, wall),
        lights=(Light(direction, main, casts_shadow=True, specular=0.4), Light((0.3, 0.2, -0.6), 0.12)),
        ambient=ambient,
        headlight=headlight,
    )
