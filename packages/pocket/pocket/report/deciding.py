"""Who may drive the arm in a closed loop: the candidate, the scripted policy, chance, and nobody."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pocket.report.candidate import Candidate, Pixels
from pocket.world.episode import POLICY_ROWS
from robot.evaluation.late_policy import Decide
from robot.observation import NUM_JOINTS, Observation
from robot.safety import LIMITS
from robot.scripted.policy import plan

WANDERS_RAD = 0.04
"""Of a joint in a row, at random: two thirds of what the scripted policy moves it by in a hurry."""


def as_candidate(candidate: Candidate, seed: int, look: Callable[[], Pixels]) -> Decide:
    """From the three cameras' canvas, the state row and the words, as the pocket was trained.

    Args:
        look: the canvas of now, uint8 [540, 640, 3]; asked for here, so that nothing is drawn that nobody looks at.
    """

    def decide(seen: Observation) -> NDArray[np.float64]:
        canvas = look()
        state = np.append(seen.state.joint_positions, np.clip(seen.state.gripper_position, 0, 1))
        return candidate.act(seen.prompt, canvas, state, seed + seen.tick)

    return decide


def as_scripted(prompt: str) -> Decide:
    """The scripted policy, which is told where everything is; under the plainest words for the task."""

    def decide(seen: Observation) -> NDArray[np.float64]:
        return plan(seen.state.joint_positions, seen.state.gripper_position, prompt, seen.objects)

    return decide


def at_random(seed: int) -> Decide:
    """Every joint wanders from where it is, within its limits; the gripper opens and closes once in a while."""
    generator = np.random.default_rng(seed)
    limits = LIMITS["panda"]

    def decide(seen: Observation) -> NDArray[np.float64]:
        drift = generator.normal(0, WANDERS_RAD, NUM_JOINTS)
        joints = seen.state.joint_positions + np.arange(1, POLICY_ROWS + 1)[:, None] * drift
        joints = np.clip(joints, limits.soft_min, limits.soft_max)
        return np.column_stack([joints, np.full(POLICY_ROWS, float(generator.random() < 0.5))])

    return decide


def doing_nothing(seen: Observation) -> NDArray[np.float64]:
    """Stay."""
    return np.tile(np.append(seen.state.joint_positions, 0.0), (POLICY_ROWS, 1))
