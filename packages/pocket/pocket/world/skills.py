"""What the hand does next for a task: the robot room's own choices, and beside them reaching, pushing and failing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pocket.world.episode import Skill
from robot.kinematics import yaw_of
from robot.objects import ObjectPose
from robot.scripted.choosing import LIFTED_AT_M, NEAR_M, TRAVEL_ABOVE_M, Move, choose_move
from robot.scripted.grasping import choose_grasp

REACHED_WITHIN_M = 0.02
PUSH_HEIGHT_M = 0.03
DROPS_AT_M = 0.13


@dataclass(frozen=True)
class Errand:
    """What the arm is to do, and what of it goes wrong.

    Attributes:
        thing, destination: indices of things.
        direction: float64 [2], a unit vector of the table: where to push.
        push_m: how far.
        beside_m: float64 [2]: by how much the fingers miss the thing; zero to grasp it.
        drops: lets go of it in the air.
    """

    skill: Skill
    thing: int = 0
    destination: int | None = None
    direction: NDArray[np.float64] | None = None
    push_m: float = 0.0
    beside_m: NDArray[np.float64] | None = None
    drops: bool = False


class Performer:
    """Performs an errand. All but pushing and failing follow from the state alone.

    Args:
        errand: to perform.
        objects: as they lie before it.
    """

    def __init__(self, errand: Errand, objects: Sequence[ObjectPose]) -> None:
        self._errand = errand
        self._began_at = objects[errand.thing].position.copy() if objects else np.zeros(3)
        self._stage = 0

    def next_move(
        self, hand: NDArray[np.float64], axes: NDArray[np.float64], gripper: float, objects: Sequence[ObjectPose]
    ) -> Move:
        """The move of a state; arguments as ``choose_move`` has them."""
        errand, yaw = self._errand, yaw_of(axes)
        if errand.skill == "none":
            return Move(hand, yaw, gripper=0.0)
        if errand.skill == "reach":
            return self._reach(hand, objects, yaw)
        if errand.skill == "push":
            return self._push(hand, yaw)
        if errand.beside_m is not None:
            return self._miss(hand, axes, gripper, objects)
        thing = objects[errand.thing]
        if errand.drops and (self._stage or thing.position[2] > DROPS_AT_M + thing.half_size[2]):
            self._stage = 1
            return Move(np.array([hand[0], hand[1], LIFTED_AT_M]), yaw, gripper=0.0)
        return choose_move(hand, axes, gripper, objects, errand.thing, errand.destination)

    def _reach(self, hand: NDArray[np.float64], objects: Sequence[ObjectPose], yaw: float) -> Move:
        """To where it could be grasped, fingers open, and stay."""
        thing = objects[self._errand.thing]
        grasp = choose_grasp(thing, objects, yaw)
        across = float(np.hypot(*(grasp.position[:2] - hand[:2])))
        goal = grasp.position.copy()
        goal[2] += min(TRAVEL_ABOVE_M, 3.0 * max(0.0, across - 0.01))
        return Move(goal, grasp.yaw, gripper=0.0)

    def _push(self, hand: NDArray[np.float64], yaw: float) -> Move:
        """Closed fingers: behind the thing, down, through where it was, up."""
        assert self._errand.direction is not None
        direction = np.array([*self._errand.direction, 0.0])
        start = self._began_at - 0.085 * direction
        low = np.array([0.0, 0.0, PUSH_HEIGHT_M])
        ends = self._began_at + (self._errand.push_m - 0.03) * direction
        goals = (
            start * [1, 1, 0] + [0, 0, TRAVEL_ABOVE_M + 0.03],
            start * [1, 1, 0] + low,
            ends * [1, 1, 0] + low,
            ends * [1, 1, 0] + [0, 0, LIFTED_AT_M],
        )
        tolerance = NEAR_M if self._stage < 2 else 0.02
        if self._stage < 3 and float(np.linalg.norm(hand - goals[self._stage])) < tolerance:
            self._stage += 1
        # The fingers stand across the way they go.
        wanted = float(np.arctan2(self._errand.direction[1], self._errand.direction[0]))
        wanted = (wanted + np.pi / 2) % np.pi - np.pi / 2
        return Move(goals[self._stage], wanted, gripper=1.0)

    def _miss(
        self, hand: NDArray[np.float64], axes: NDArray[np.float64], gripper: float, objects: Sequence[ObjectPose]
    ) -> Move:
        """As if the thing lay a little beside itself; whoever closed on nothing goes up."""
        yaw = yaw_of(axes)
        if self._stage:
            # The fingers close where they are before they go up.
            height = LIFTED_AT_M if gripper > 0.9 or self._stage > 1 else float(hand[2])
            self._stage = 2 if height == LIFTED_AT_M else 1
            return Move(np.array([hand[0], hand[1], height]), yaw, gripper=1.0)
        assert self._errand.beside_m is not None
        moved = list(objects)
        thing = moved[self._errand.thing]
        moved[self._errand.thing] = replace(thing, position=self._began_at + np.array([*self._errand.beside_m, 0.0]))
        move = choose_move(hand, axes, gripper, moved, self._errand.thing, None)
        self._stage = int(move.gripper > 0.5)
        return move


def choose_errand(
    skill: Skill, objects: Sequence[ObjectPose], generator: np.random.Generator, *, may_fail: bool
) -> Errand:
    """An errand of a skill on this table; where the table has nothing for it, to pick something up or to reach."""
    small = [index for index, thing in enumerate(objects) if thing.shape != "bowl"]
    if not objects or skill == "none":
        return Errand("none")
    if not small:
        return Errand("reach", 0)
    thing = int(generator.choice(small))
    beside, drops = None, False
    if may_fail and skill in ("pick", "place"):
        luck = generator.random()
        if luck < 0.12:
            # Clear of the thing even where a finger comes down on its side.
            beside = _clear_way(thing, objects, generator) * generator.uniform(0.085, 0.1)
        drops = 0.12 <= luck < 0.24
    if skill == "place":
        bowls = [index for index, other in enumerate(objects) if other.shape == "bowl"]
        if bowls:
            return Errand("place", thing, int(generator.choice(bowls)), beside_m=beside, drops=drops)
    if skill in ("stack", "place"):
        flat = [index for index in small if objects[index].shape != "ball"]
        if len(flat) >= 2:
            above, below = (int(index) for index in generator.permutation(flat)[:2])
            return Errand("stack", above, below)
    if skill == "push":
        return Errand(
            "push", thing, direction=_clear_way(thing, objects, generator), push_m=generator.uniform(0.08, 0.14)
        )
    if skill == "reach":
        return Errand("reach", thing)
    return Errand("pick", thing, beside_m=beside, drops=drops)


def _clear_way(thing: int, objects: Sequence[ObjectPose], generator: np.random.Generator) -> NDArray[np.float64]:
    """The direction of eight in which, and behind which, there is most room on the table."""
    here = objects[thing].position[:2]
    others = [other.position[:2] for index, other in enumerate(objects) if index != thing]

    def room(direction: NDArray[np.float64]) -> float:
        stops = [here - 0.085 * direction, here + 0.08 * direction, here + 0.16 * direction]
        gaps = [float(np.hypot(*(stop - other))) for stop in stops for other in others]
        inside = 0.0 if 0.33 < stops[2][0] < 0.7 and abs(stops[2][1]) < 0.3 else 0.3
        return min([*gaps, 0.14]) - inside

    turn = generator.uniform(0, np.pi / 4)
    ways = [np.array([np.cos(turn + k * np.pi / 4), np.sin(turn + k * np.pi / 4)]) for k in range(8)]
    return max(ways, key=room)
