"""One question in, 32 rows out: a pure function of the arm's state, the prompt and where the things are.

It remembers nothing. What to do next follows from the state alone (over the thing? holding it? there already?), so that
it may be asked again at any tick, with any horizon, after any fault; within one answer the state is rolled forward with
a simple picture of the arm: each tick it goes three tenths of the way to its target, as the soft simulated one does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from robot.kinematics import pointing_down, reach, turn_between, turned_by
from robot.objects import ObjectPose
from robot.observation import NUM_JOINTS, ROW_WIDTH, ROWS_PER_SECOND
from robot.safety.limits import LIMITS
from robot.scripted.choosing import Move, choose_move
from robot.scripted.grasping import STROKE_M
from robot.scripted.instruction import Refusal, understand
from studio.panda.kinematics import locate_hand

NUM_ROWS = 32

FOLLOWS = 0.3
"""Share of the way to its target that the arm goes in a tick: fitted to the simulated arm, whose hand is then pictured
within 2 cm of where it is after 16 ticks."""

LEAD_M = 0.07
"""How far the target runs ahead of the hand: about 0.3 m/s."""

LEAD_RAD = 0.35
"""By how much the hand's turn runs ahead."""

MAX_STEP = 0.8 * np.minimum(LIMITS["panda"].velocity, LIMITS["fr3"].velocity) / ROWS_PER_SECOND
MAX_LEAD = 0.24
"""rad: what the safety filter lets through untouched, with room to spare."""

CLOSES_BY = 0.2
"""How far the gripper goes in a tick, of its whole way."""

SQUEEZE_TICKS = 3
"""Between closing and lifting, within one answer."""


@dataclass(frozen=True)
class _Pictured:
    """The arm and the table as they are pictured some ticks ahead."""

    joints: NDArray[np.float64]
    gripper: float
    objects: tuple[ObjectPose, ...]
    num_squeezed: int = SQUEEZE_TICKS


def plan(
    joint_positions: NDArray[np.float64], gripper_position: float, prompt: str, objects: Sequence[ObjectPose]
) -> NDArray[np.float64]:
    """What to do in the coming 32 ticks.

    Args:
        joint_positions: float64 [7], rad, measured.
        gripper_position: 0 open to 1 closed, measured.
        prompt: "pick up the red cube", "put the red cube in the bowl".
        objects: everything on the table.

    Returns:
        float64 [32, 8]: seven absolute joint positions in rad, the gripper 0 open to 1 closed.

    Raises:
        Refusal: the prompt cannot be understood, or what it names is not there.
    """
    if not objects:
        raise Refusal(
            "poses_missing",
            "The scripted policy got no object positions.",
            "It works only with the simulated arm, which sends them. Use a trained policy for cameras.",
        )
    state = _Pictured(joint_positions, gripper_position, tuple(objects))
    names = [thing.name for thing in objects]
    task = understand(prompt, objects)
    thing = names.index(task.thing.name)
    destination = None if task.destination is None else names.index(task.destination.name)
    rows = np.empty((NUM_ROWS, ROW_WIDTH))
    last = joint_positions
    for row in rows:
        position, axes, _ = locate_hand(state.joints)
        move = choose_move(position, axes, state.gripper, state.objects, thing, destination)
        if state.num_squeezed < SQUEEZE_TICKS:
            move = replace(move, position=position, gripper=1.0)
        last = aim_at_move(state.joints, position, axes, move, last)
        row[:NUM_JOINTS], row[NUM_JOINTS] = last, move.gripper
        state = _picture_next(state, position, last, move, thing)
    return rows


def aim_at_move(
    joints: NDArray[np.float64],
    position: NDArray[np.float64],
    axes: NDArray[np.float64],
    move: Move,
    last: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The joint target that draws the hand towards its goal, within what the safety filter lets through.

    Args:
        joints: [7], rad, measured.
        position, axes: [3] in m and [3, 3], of the hand there.
        move: what the hand should do.
        last: [7], rad, the target before.

    Returns:
        float64 [7], rad.
    """
    ahead = _at_most(move.position - position, LEAD_M)
    turn = _at_most(turn_between(axes, pointing_down(move.yaw)), LEAD_RAD)
    target = reach(joints, position + ahead, turned_by(axes, turn), num_iterations=2)
    target = np.clip(target, joints - MAX_LEAD, joints + MAX_LEAD)
    return np.clip(target, last - MAX_STEP, last + MAX_STEP)


def _picture_next(
    state: _Pictured, position: NDArray[np.float64], target: NDArray[np.float64], move: Move, thing: int
) -> _Pictured:
    joints = state.joints + FOLLOWS * (target - state.joints)
    # What is held stays between the fingers.
    wanted = state.gripper if move.carries else move.gripper
    gripper = state.gripper + float(np.clip(wanted - state.gripper, -CLOSES_BY, CLOSES_BY))
    objects, num_squeezed = state.objects, state.num_squeezed
    if move.closes_on is not None:
        # What is between the fingers stops them.
        gripper = min(gripper, 1.0 - move.closes_on / STROKE_M)
        num_squeezed = 0 if gripper > state.gripper else num_squeezed + 1
    else:
        num_squeezed += 1
    if move.carries:
        moved = locate_hand(joints)[0] - position
        carried = replace(objects[thing], position=objects[thing].position + moved)
        objects = (*objects[:thing], carried, *objects[thing + 1 :])
    return _Pictured(joints, gripper, objects, num_squeezed)


def _at_most(vector: NDArray[np.float64], length: float) -> NDArray[np.float64]:
    long = float(np.linalg.norm(vector))
    return vector if long <= length else vector * (length / long)
