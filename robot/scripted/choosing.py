"""What the hand should do in a state: approach, close, lift, carry, let go, leave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robot.kinematics import yaw_of
from robot.objects import ObjectPose
from robot.scripted.grasping import Grasp, choose_grasp, miss

TRAVEL_ABOVE_M = 0.12
"""How high above a goal the hand comes in: every thing is lower than that."""

LIFTED_AT_M = 0.22
"""Where a lifted thing is held, hand above table."""

FUNNEL = 3.0
"""Metres that the hand stays above its goal for every metre beside it."""

NEAR_M = 0.013
NEAR_TURN = 0.15
"""m and rad: where the fingers close or open."""

HELD_WITHIN_M, CARRIED_WITHIN_M = 0.03, 0.045
"""m between the pads and what they hold, on the table and in the air."""

RESTS_IN_BOWL_M, RESTS_ON_M = 0.045, 0.022
"""m between two middles, seen from above, when one rests in or on the other."""


@dataclass(frozen=True)
class Move:
    """The next bit.

    Attributes:
        position: float64 [3], m, where the pads should be.
        yaw: of the hand that points down, rad.
        gripper: 0 open or 1 closed.
        closes_on: the width, m, at which the fingers will meet something.
        carries: whether the thing comes along.
    """

    position: NDArray[np.float64]
    yaw: float
    gripper: float
    closes_on: float | None = None
    carries: bool = False


def choose_move(
    hand: NDArray[np.float64],
    axes: NDArray[np.float64],
    gripper: float,
    objects: Sequence[ObjectPose],
    thing: int,
    destination: int | None,
) -> Move:
    """The move of a state.

    Args:
        hand: [3], m, between the pads.
        axes: [3, 3] of the hand.
        gripper: 0 open to 1 closed.
        objects: everything on the table.
        thing, destination: indices into it.
    """
    wanted, yaw = objects[thing], yaw_of(axes)
    grasp = choose_grasp(wanted, objects, yaw)
    is_held = _is_held(wanted, grasp, hand, gripper)
    if destination is not None:
        place = objects[destination]
        if not is_held and _rests_at(wanted, place):
            return Move(np.array([hand[0], hand[1], LIFTED_AT_M]), yaw, gripper=0.0)
        if is_held:
            return _carry(hand, yaw, wanted, place)
    if is_held:
        return Move(np.array([hand[0], hand[1], LIFTED_AT_M]), yaw, gripper=1.0, carries=True)
    return _approach(hand, yaw, gripper, grasp)


def _is_held(thing: ObjectPose, grasp: Grasp, hand: NDArray[np.float64], gripper: float) -> bool:
    """Whether the fingers are about as far apart as the thing is wide, and it is between them."""
    is_in_air = thing.position[2] > thing.half_size[2] + 0.012
    within = CARRIED_WITHIN_M if is_in_air else HELD_WITHIN_M
    holding = grasp.gripper_position
    return miss(thing, hand) < within and holding - 0.08 < gripper < holding + min(0.12, 0.7 * (1 - holding))


def _rests_at(thing: ObjectPose, place: ObjectPose) -> bool:
    beside = float(np.hypot(*(thing.position[:2] - place.position[:2])))
    if place.shape == "bowl":
        return beside < RESTS_IN_BOWL_M and thing.position[2] < place.position[2] + 0.06
    above = thing.position[2] - place.position[2] - place.half_size[2] - thing.half_size[2]
    return beside < RESTS_ON_M and abs(above) < 0.012


def _carry(hand: NDArray[np.float64], yaw: float, thing: ObjectPose, place: ObjectPose) -> Move:
    """Above the place, down, and let go."""
    top = place.position[2] + place.half_size[2]
    drop = top + thing.half_size[2] * 0.3 if place.shape == "bowl" else top + thing.half_size[2] + 0.004
    goal = np.array([place.position[0], place.position[1], drop]) + hand - thing.position
    off = goal - hand
    if float(np.hypot(*off[:2])) < NEAR_M and abs(off[2]) < NEAR_M:
        return Move(goal, yaw, gripper=0.0)
    return Move(_funnel(hand, goal), yaw, gripper=1.0, carries=True)


def _approach(hand: NDArray[np.float64], yaw: float, gripper: float, grasp: Grasp) -> Move:
    """Above the thing, down over it, and close."""
    off = grasp.position - hand
    is_near = float(np.hypot(*off[:2])) < NEAR_M and abs(off[2]) < NEAR_M and abs(grasp.yaw - yaw) < NEAR_TURN
    if is_near and gripper < grasp.gripper_position + 0.02:
        return Move(grasp.position, grasp.yaw, gripper=1.0, closes_on=grasp.width)
    goal = _funnel(hand, grasp.position)
    if gripper > 0.25:
        # Open first: closed fingers would push the thing away.
        goal[2] = max(goal[2], hand[2])
    return Move(goal, grasp.yaw, gripper=0.0)


def _funnel(hand: NDArray[np.float64], goal: NDArray[np.float64]) -> NDArray[np.float64]:
    """The next stop on the way to a goal: up first, across above everything, down when over it."""
    across = goal[:2] - hand[:2]
    beside = float(np.hypot(*across))
    height = goal[2] + min(TRAVEL_ABOVE_M, FUNNEL * max(0.0, beside - 0.010))
    too_low = height - hand[2] - 0.04
    share = 1.0 if too_low <= 0 else max(0.0, 1.0 - too_low / 0.05)
    return np.array([*(hand[:2] + share * across), height])
