"""Where the Panda's flange is, and which joint angles bring the hand somewhere. NumPy alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from robot.safety.limits import HOME, LIMITS
from studio.panda.kinematics import PINCH_FROM_FLANGE_M, locate_hand

SOFT_MIN = np.maximum(LIMITS["panda"].soft_min, LIMITS["fr3"].soft_min)
SOFT_MAX = np.minimum(LIMITS["panda"].soft_max, LIMITS["fr3"].soft_max)
"""rad, what either model may do."""

DAMPING = 0.01
"""m and rad: how soon the inverse gives way near a stretched arm."""

POSTURE_PULL = 0.05
"""Share of the way to the start pose that the elbow goes in each iteration, as far as the hand does not notice."""


def flange_pose(joints: NDArray[np.float64]) -> NDArray[np.float64]:
    """x y z in m and roll pitch yaw in rad (turns about the base's x, y, z in that order), float64 [6].

    All joints at 0: the flange is at x 0.088, z 0.926 and looks down (roll π).
    """
    pinch, axes, _ = locate_hand(joints)
    pitch = -np.arcsin(np.clip(axes[2, 0], -1.0, 1.0))
    roll, yaw = np.arctan2(axes[2, 1], axes[2, 2]), np.arctan2(axes[1, 0], axes[0, 0])
    return np.array([*(pinch - PINCH_FROM_FLANGE_M * axes[:, 2]), roll, pitch, yaw])


def reach(
    start: NDArray[np.float64],
    position: NDArray[np.float64],
    axes: NDArray[np.float64],
    num_iterations: int = 4,
) -> NDArray[np.float64]:
    """Joint angles near ``start`` that bring the hand near a place, by damped least squares (Wampler, 1986).

    Args:
        start: [7], rad.
        position: [3], m.
        axes: [3, 3], the hand's wanted axes, one a column.
        num_iterations: each halves the error at least, unless the arm is stretched.

    Returns:
        float64 [7], rad, within the soft limits of either model.
    """
    joints = start.copy()
    for _ in range(num_iterations):
        here, turned, jacobian = locate_hand(joints)
        error = np.concatenate([position - here, turn_between(turned, axes)])
        square = jacobian @ jacobian.T + DAMPING**2 * np.eye(6)
        inverse = np.linalg.solve(square, jacobian).T
        pull = POSTURE_PULL * (HOME - joints)
        joints = joints + inverse @ (error - jacobian @ pull) + pull
        joints = np.minimum(np.maximum(joints, SOFT_MIN), SOFT_MAX)
    return joints


def turn_between(now: NDArray[np.float64], wanted: NDArray[np.float64]) -> NDArray[np.float64]:
    """The turn [3], axis times angle in rad, from one set of axes to another less than half a turn away."""
    relative = wanted @ now.T
    doubled_sine = np.array(
        [relative[2, 1] - relative[1, 2], relative[0, 2] - relative[2, 0], relative[1, 0] - relative[0, 1]]
    )
    sine = float(np.linalg.norm(doubled_sine)) / 2
    angle = float(np.arctan2(sine, (np.trace(relative) - 1) / 2))
    return doubled_sine / 2 if sine < 1e-9 else doubled_sine * (angle / (2 * sine))


def turned_by(axes: NDArray[np.float64], turn: NDArray[np.float64]) -> NDArray[np.float64]:
    """Axes after a turn [3], axis times angle in rad (Rodrigues)."""
    angle = float(np.linalg.norm(turn))
    if angle < 1e-12:
        return axes.copy()
    x, y, z = turn / angle
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return (np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross) @ axes


def pointing_down(yaw: float) -> NDArray[np.float64]:
    """The hand's axes [3, 3] when it points at the table; at yaw 0 as in the start pose, turned left by ``yaw`` rad."""
    cos, sin = np.cos(yaw), np.sin(yaw)
    return np.array([[cos, sin, 0.0], [sin, -cos, 0.0], [0.0, 0.0, -1.0]])


def yaw_of(axes: NDArray[np.float64]) -> float:
    """The ``yaw`` of ``pointing_down`` that is nearest to these axes, rad."""
    return float(np.arctan2(axes[1, 0], axes[0, 0]))
