"""Words for colours, shapes, numbers and places, and how they are put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pocket.world.episode import Episode, Thing

SHAPE_WORDS: dict[str, tuple[str, ...]] = {
    "cube": ("cube", "block", "box"),
    "cylinder": ("cylinder", "can"),
    "ball": ("ball", "sphere"),
    "bowl": ("bowl", "dish"),
}
"""The first is the usual one; all are known to the robot room's scripted policy."""

PLURALS = {"box": "boxes", "dish": "dishes"}
NUMBERS = ("no", "one", "two", "three", "four", "five", "six")

COLUMNS, ROWS = ("left", "middle", "right"), ("back", "centre", "front")
"""Thirds of the picture, from the left and from the top."""

SEEN_SHARE = 0.0012
"""Of the picture: a thing of fewer pixels (80 of 256×256) is not told."""

NEAR_EDGE = 25.0
"""On the grid of 0 to 1000: a middle nearer to a third's edge than this has no place that everybody would agree on."""


@dataclass(frozen=True)
class Group:
    """Things of one colour and shape.

    Attributes:
        things: their indices, from left to right.
        column, row: of a single thing, where its middle is clearly in one; else "".
    """

    colour: str
    shape: str
    material: str
    things: tuple[int, ...]
    column: str = ""
    row: str = ""


def groups_of(episode: Episode, frame: int = 0) -> tuple[Group, ...]:
    """What is seen at a frame, by colour and shape, the largest first."""
    alike: dict[tuple[str, str], list[int]] = {}
    order = sorted(range(len(episode.things)), key=lambda index: float(episode.things[index].boxes[frame, 0]))
    for index in order:
        thing = episode.things[index]
        if thing.visible[frame] > SEEN_SHARE:
            alike.setdefault((thing.colour, thing.shape), []).append(index)
    groups = [_group(episode, tuple(members), frame) for members in alike.values()]
    return tuple(sorted(groups, key=lambda group: -sum(episode.things[index].visible[frame] for index in group.things)))


def _group(episode: Episode, members: tuple[int, ...], frame: int) -> Group:
    thing = episode.things[members[0]]
    materials = {episode.things[index].material for index in members}
    material = thing.material if len(materials) == 1 else ""
    if len(members) > 1:
        return Group(thing.colour, thing.shape, material, members)
    across, down = middle_of(thing, frame)
    return Group(thing.colour, thing.shape, material, members, _third(across, COLUMNS), _third(down, ROWS))


def middle_of(thing: Thing, frame: int) -> tuple[float, float]:
    """The middle of its box on the grid of 0 to 1000."""
    x1, y1, x2, y2 = (float(value) for value in thing.boxes[frame])
    return (x1 + x2) / 2, (y1 + y2) / 2


def _third(place: float, names: Sequence[str]) -> str:
    if min(abs(place - 1000 / 3), abs(place - 2000 / 3)) < NEAR_EDGE:
        return ""
    return names[min(2, int(place * 3 / 1000))]


def listed(parts: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def with_article(words: str) -> str:
    """`an orange cube`."""
    return f"an {words}" if words[0] in "aeiou" else f"a {words}"


def plural(noun: str) -> str:
    """`boxes`."""
    return PLURALS.get(noun, f"{noun}s")


def said(words: Sequence[str], generator: np.random.Generator) -> str:
    """One of several ways to say it."""
    return words[int(generator.integers(len(words)))]


def shape_word(shape: str, generator: np.random.Generator, *, varied: bool = True) -> str:
    """A word for a shape; mostly the usual one."""
    return said(SHAPE_WORDS[shape], generator) if varied and generator.random() < 0.25 else shape


def named(group: Group, generator: np.random.Generator, *, material: bool = False, varied: bool = True) -> str:
    """`a red cube`, `two glossy blue balls`."""
    noun = shape_word(group.shape, generator, varied=varied)
    kind = f"{group.material} {group.colour}" if material and group.material else group.colour
    if len(group.things) == 1:
        return with_article(f"{kind} {noun}")
    return f"{NUMBERS[len(group.things)]} {kind} {plural(noun)}"


def place_phrase(group: Group, *, row: bool) -> str:
    """`on the left`, `at the front in the middle`; "" without a clear place."""
    column = {"left": "on the left", "right": "on the right", "middle": "in the middle", "": ""}[group.column]
    if not row or group.row in ("", "centre"):
        return column
    depth = "at the back" if group.row == "back" else "at the front"
    return f"{depth} {column}" if column else depth


def sentence(text: str) -> str:
    """With a capital and a full stop."""
    return f"{text[0].upper()}{text[1:]}."
