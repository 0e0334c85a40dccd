"""What goes wrong on purpose in the simulation: an object moved by hand, a camera shifted, a gripper that fails."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from robot.arms.simulated import SimulatedArm
from robot.observation import Views
from robot.simulation.world import World

Disturbance = Literal["none", "object", "camera", "gripper"]
KINDS: tuple[Disturbance, ...] = tuple(kind for kind in get_args(Disturbance) if kind != "none")

BEGINS_S = 1.0
"""After the start: the policy has seen the table as it was."""

MOVED_BY_M = (0.0, 0.08)
SHIFTED_BY_PIXELS = 16
"""Of exterior 1's 320: a knock against its stand."""


class DisturbedArm(SimulatedArm):
    """A simulated arm whose gripper may stop closing.

    Attributes:
        gripper_fails: from now on.
    """

    gripper_fails = False

    def set_target(self, joint_positions: NDArray[np.float64], gripper_position: float) -> None:
        """See `SimulatedArm`."""
        super().set_target(joint_positions, 0.0 if self.gripper_fails else gripper_position)


def begin(kind: Disturbance, world: World, arm: DisturbedArm, thing: int) -> None:
    """Disturb the world from now on; a shifted camera is `seen_by`'s."""
    match kind:
        case "object":
            world.push(thing, MOVED_BY_M)
        case "gripper":
            arm.gripper_fails = True
        case "camera" | "none":
            pass


def seen_by(kind: Disturbance, views: Views) -> Views:
    """What the cameras show once it has begun."""
    if kind != "camera":
        return views
    return replace(views, exterior_1=np.roll(views.exterior_1, SHIFTED_BY_PIXELS, axis=1))
