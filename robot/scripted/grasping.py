"""Where to hold a thing: from above, across its sides, and a bowl by its rim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robot.kinematics import pointing_down
from robot.objects import ObjectPose
from studio.panda.kinematics import axes_of

STROKE_M = 0.085
"""Between the open pads of a 2F-85."""

LOWEST_PINCH_M = 0.019
"""Above the table, so that the finger tips stay clear of it."""

BOWL_RIM_M = 0.003
"""From a bowl's outside to the middle of its wall."""
BOWL_WALL_M = 0.006
BOWL_DEPTH_M = 0.018
"""How far below the rim the pads take hold."""

_FINGER_REACH_M = 0.058
"""From between the pads to the outside of an open finger."""

_ENOUGH_ROOM_M = 0.03
_NUM_RIM_PLACES = 16


@dataclass(frozen=True)
class Grasp:
    """One way to hold a thing.

    Attributes:
        position: float64 [3], m, of the place between the pads.
        yaw: of the hand that points down, rad.
        width: between the pads when they hold, m.
    """

    position: NDArray[np.float64]
    yaw: float
    width: float

    @property
    def gripper_position(self) -> float:
        """The gripper's own when it holds, 0 open to 1 closed."""
        return 1.0 - self.width / STROKE_M


def choose_grasp(thing: ObjectPose, objects: Sequence[ObjectPose], hand_yaw: float) -> Grasp:
    """The grasp with room for both fingers and the least turning; a right angle is worth 14 mm of room.

    Args:
        thing: to take.
        objects: everything on the table, the thing too.
        hand_yaw: of the hand now, rad.
    """
    others = [other for other in objects if other is not thing]

    def worth(grasp: Grasp) -> float:
        room = min(_room(grasp, others), _ENOUGH_ROOM_M)
        return room - 0.006 * abs(grasp.yaw - hand_yaw) - 0.003 * abs(grasp.yaw)

    return max(_ways_to_hold(thing), key=worth)


def miss(thing: ObjectPose, pinch: NDArray[np.float64]) -> float:
    """How far the pads are from where they could hold a thing however it lies, m."""
    if thing.shape != "bowl":
        return float(np.linalg.norm(pinch - thing.position))
    own = axes_of(thing.quaternion).T @ (pinch - thing.position)
    beside = float(np.hypot(own[0], own[1])) - (thing.half_size[0] - BOWL_RIM_M)
    above = own[2] - (thing.half_size[2] - BOWL_DEPTH_M)
    return float(np.hypot(beside, above))


def _ways_to_hold(thing: ObjectPose) -> list[Grasp]:
    if thing.shape == "bowl":
        return [_rim_grasp(thing, angle) for angle in np.arange(_NUM_RIM_PLACES) * (2 * np.pi / _NUM_RIM_PLACES)]
    position = thing.position.copy()
    position[2] = max(position[2], LOWEST_PINCH_M)
    axes = axes_of(thing.quaternion)
    if thing.shape == "ball" or (thing.shape == "cylinder" and abs(axes[2, 2]) > 0.7):
        yaws = list(np.linspace(-np.pi / 2, np.pi / 2, 9))
    elif thing.shape == "cylinder":
        # It lies: the fingers close across it.
        yaws = [float(np.arctan2(axes[1, 2], axes[0, 2]))]
    else:
        # Whichever side it stands on: two of its axes are level, and the flattest tells the turn.
        level = axes[:, int(np.argmin(np.abs(axes[2])))]
        turn = float(np.arctan2(level[1], level[0]))
        yaws = [turn, turn + np.pi / 2]
    width = 2 * float(thing.half_size[0])
    return [Grasp(position, _within_half_turn(yaw), width) for yaw in yaws]


def _rim_grasp(bowl: ObjectPose, angle: float) -> Grasp:
    outward = np.array([np.cos(angle), np.sin(angle), 0.0])
    position = bowl.position + (bowl.half_size[0] - BOWL_RIM_M) * outward
    position[2] = bowl.position[2] + bowl.half_size[2] - BOWL_DEPTH_M
    return Grasp(position, _within_half_turn(angle + np.pi / 2), BOWL_WALL_M)


def _room(grasp: Grasp, others: Sequence[ObjectPose]) -> float:
    """From the nearer finger to the nearest other thing, m."""
    across = pointing_down(grasp.yaw)[:2, 1] * _FINGER_REACH_M
    fingers = (grasp.position[:2] + across, grasp.position[:2] - across)
    gaps = [
        float(np.hypot(*(finger - other.position[:2]))) - float(other.half_size[0])
        for other in others
        for finger in fingers
    ]
    return min(gaps, default=_ENOUGH_ROOM_M)


def _within_half_turn(yaw: float) -> float:
    """The same grip between -90° and 90°: the two fingers are alike."""
    return float((yaw + np.pi / 2) % np.pi - np.pi / 2)
