"""Seeded tables, an object to lift from each, and the instruction at each level, as a benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robot.simulation.arrangement import SLOTS, arrange
from studio.evaluation import Benchmark, Item
from studio.evaluation.episodes import TABLE, Level

FIRST_SCENE = 1_000_000_000
"""The pocket was trained on no table of this seed or a larger one."""

MAX_SCENES = 1000

NUM_NAMED = SLOTS.index("bowl")
"""Objects that are asked for: all but the bowl, which is taken by its rim."""

INSTRUCTIONS: dict[Level, str] = {
    "vague": "get the {colour} one",
    "default": "pick up the {colour} {shape}",
    "specific": "pick up the small {colour} {shape} from the table",
}
"""No two objects of a table have one colour, so that each names exactly one."""


@dataclass(frozen=True)
class TableTask:
    """What an item asks for.

    Attributes:
        scene: seed of the table.
        thing: index of the object that is asked for.
        instruction: in words.
    """

    scene: int
    thing: int
    instruction: str


def table_benchmark(num_scenes: int, levels: Sequence[Level], seed: int) -> Benchmark:
    """The benchmark of so many tables; each is asked for at every level before the next one.

    Args:
        num_scenes: 1 to ``MAX_SCENES``.
        levels: without repetitions.
        seed: another one has other tables.
    """
    first = FIRST_SCENE + seed * MAX_SCENES
    items = [_item(scene, level) for scene in range(first, first + num_scenes) for level in levels]
    return Benchmark(
        name=TABLE,
        title="Simulated table: lift an object",
        description="A policy drives the simulated arm; the categories are levels of the instruction",
        form="policy",
        items=tuple(items),
    )


def task_of(item: Item) -> TableTask:
    """The task of an item of `table_benchmark`."""
    scene = int(item.id.rpartition("/")[2])
    return TableTask(scene, _thing(scene), item.question)


def _item(scene: int, level: Level) -> Item:
    placed = arrange(scene)[_thing(scene)]
    words = INSTRUCTIONS[level].format(colour=placed.colour, shape=placed.shape)
    name = f"{placed.colour} {placed.shape}"
    return Item(id=f"{TABLE}/{level}/{scene}", question=words, category=level, reference=name)


def _thing(scene: int) -> int:
    return int(np.random.default_rng(scene).integers(NUM_NAMED))
