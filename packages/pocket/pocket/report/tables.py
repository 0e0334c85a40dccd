"""Tables of the bridge that nobody trained on, and what is to be lifted from each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from threading import Event

import numpy as np

from pocket.world.instructing import instruct
from robot.observation import EXTERIOR_SIZE, WRIST_SIZE, Views
from robot.simulation.arrangement import SLOTS
from robot.simulation.scene import Scene, build_scene
from robot.simulation.world import World

NUM_NAMED = len(SLOTS) - 1
"""Things that are asked for: all but the bowl, which is taken by its rim."""


class TurnedClock:
    """A clock that stands still until it is turned."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def now(self) -> float:
        """Seconds since it was made."""
        return self.now_s

    def wait_until(self, deadline_s: float, wake: Event | None = None) -> None:
        """Turn it on."""
        self.now_s = max(self.now_s, deadline_s)


class BlankCameras:
    """Black pictures, for a loop whose policy looks by itself, or not at all."""

    def __init__(self, clock: TurnedClock) -> None:
        self._clock = clock
        wide, side = (np.zeros((height, width, 3), np.uint8) for width, height in (WRIST_SIZE, EXTERIOR_SIZE))
        self._pictures = wide, side, side

    def views(self) -> Views:
        """Of now."""
        return Views(self._clock.now(), *self._pictures)

    def close(self) -> None:
        """There is nothing to let go of."""


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
