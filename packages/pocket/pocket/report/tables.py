"""Tables of the bridge that nobody trained on, and what is to be lifted from each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pocket.world.instructing import instruct
from robot.evaluation.late_policy import TurnedClock
from robot.simulation.arrangement import SLOTS
from robot.simulation.scene import Scene, build_scene
from robot.simulation.world import World

NUM_NAMED = len(SLOTS) - 1
"""Things that are asked for: all but the bowl, which is taken by its rim."""


@dataclass(frozen=True)
class TableErrand:
    """A table, and what is to be lifted from it.

    Attributes:
        seed: of the table.
        thing: index of the named one.
        words: as a person says it.
        usual: in the plainest words.
    """

    seed: int
    thing: int
    words: str
    usual: str


def draw_errand(seed: int) -> TableErrand:
    """The table's own words for one of its things: of six, one of the five that are not the usual ones."""
    generator = np.random.default_rng(seed)
    objects = World(bare_scene(), seed=seed, clock=TurnedClock()).object_poses()
    thing = int(generator.integers(NUM_NAMED))
    instructions = instruct("pick", objects, thing, None, generator)
    return TableErrand(seed, thing, instructions[int(generator.integers(1, len(instructions)))], instructions[0])


@lru_cache(maxsize=1)
def bare_scene() -> Scene:
    """The bridge's own, built once."""
    return build_scene(None)
