"""Whether the named object was reached, grasped and lifted, as the simulated world itself says."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robot.objects import ObjectPose
from studio.panda.kinematics import locate_hand

NEAR_M = 0.035
"""Between pads and object: where a reach ends."""

LIFT_BEGINS_M, LIFTED_M = 0.005, 0.045

HELD_TICKS = 5
"""In the air for so long is lifted."""


class Watch:
    """What the simulation says of a run.

    Attributes:
        reached: the hand was at the named object.
        grasped: the object left the table at the hand.
        wrong_lifted: another object was in the air.

    Args:
        before: objects as they lay.
        thing: index of the named one.
        held_ticks: in the air for so long is lifted.
    """

    def __init__(self, before: Sequence[ObjectPose], thing: int, held_ticks: int = HELD_TICKS) -> None:
        self._heights = _heights(before)
        self._thing = thing
        self._held_ticks = held_ticks
        self._num_held = 0
        self.reached = self.grasped = self.wrong_lifted = False

    @property
    def lifted(self) -> bool:
        """Whether it has been in the air at the hand for long enough."""
        return self._num_held >= self._held_ticks

    def look(self, things: Sequence[ObjectPose], joint_positions: NDArray[np.float64]) -> None:
        """At one tick's world; not any more once it was lifted.

        Args:
            things: as they are, in the order of ``before``.
            joint_positions: float64 [7], rad.
        """
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
