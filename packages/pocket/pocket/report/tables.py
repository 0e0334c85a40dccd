"""Tables of the bridge that nobody trained on, what is to be lifted from each, and whether it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Event

import numpy as np
from numpy.typing import NDArray

from pocket.world.happenings import LIFT_BEGINS_M, LIFTED_M, NEAR_M
from pocket.world.instructing import instruct
from robot.kinematics import locate_hand
from robot.objects import ObjectPose
from robot.observation import EXTERIOR_SIZE, WRIST_SIZE, Views
from robot.simulation.arrangement import SLOTS
from robot.simulation.scene import Scene, build_scene
from robot.simulation.world import World

LIMIT_S = 8.0
"""Of a run; the scripted policy lifts in some 3 s."""

HELD_TICKS = 5
"""In the air for so long is lifted."""

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


class Watch:
    """What the simulation itself says of a run.

    Attributes:
        reached: the hand was at the named thing.
        grasped: the thing left the table at the hand.
        wrong_lifted: another thing was in the air.

    Args:
        before: things as they lay.
        thing: index of the named one.
    """

    def __init__(self, before: Sequence[ObjectPose], thing: int) -> None:
        self._heights = _heights(before)
        self._thing = thing
        self._num_held = 0
        self.reached = self.grasped = self.wrong_lifted = False

    @property
    def lifted(self) -> bool:
        """Whether it has been in the air at the hand for ``HELD_TICKS``."""
        return self._num_held >= HELD_TICKS

    def look(self, things: Sequence[ObjectPose], joint_positions: NDArray[np.float64]) -> None:
        """At one tick's world; not any more once it was lifted."""
        if self.lifted:
            return
        rises = _heights(things) - self._heights
        hand = locate_hand(joint_positions)[0]
        near = float(np.linalg.norm(hand - things[self._thing].position)) < NEAR_M
        mine = float(rises[self._thing])
        self.reached = self.reached or near
        self.grasped = self.grasped or (near and mine > LIFT_BEGINS_M)
        self._num_held = self._num_held + 1 if near and mine > LIFTED_M else 0
        self.wrong_lifted = self.wrong_lifted or float(np.delete(rises, self._thing).max()) > LIFTED_M


def _heights(things: Sequence[ObjectPose]) -> NDArray[np.float64]:
    return np.array([thing.position[2] for thing in things])
