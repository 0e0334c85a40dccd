"""Where the Panda's hand is for seven joint angles, and which angles bring it somewhere. NumPy alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robot.safety.limits import HOME, LIMITS

_DENAVIT_HARTENBERG = (
    # a in m, d in m, alpha in rad, each before the joint's own turn (Craig's convention)
    (0.0, 0.333, 0.0),
    (0.0, 0.0, -np.pi / 2),
    (0.0, 0.316, np.pi / 2),
    (0.0825, 0.0, np.pi / 2),
    (-0.0825, 0.384, -np.pi / 2),
    (0.0, 0.0, np.pi / 2),
    (0.088, 0.0, np.pi / 2),
)
"""Franka Robotics, "Denavit-Hartenberg parameters" of the Panda and the FR3, which share them."""

PINCH_FROM_FLANGE_M = 0.0038 + 0.145
PINCH_FROM_JOINT_7_M = 0.107 + PINCH_FROM_FLANGE_M
"""Flange, mount of the 2F-85, and from its housing to between the pads. Straight: no turn of its own."""

SOFT_MIN = np.maximum(LIMITS["panda"].soft_min, LIMITS["fr3"].soft_min)
SOFT_MAX = np.minimum(LIMITS["panda"].soft_max, LIMITS["fr3"].soft_max)
"""rad, what either model may do."""

DAMPING = 0.01
"""m and rad: how soon the inverse gives way near a stretched arm."""

POSTURE_PULL = 0.05
"""Share of the way to the start pose that the elbow goes in each iteration, as far as the hand does not notice."""


def _fixed_part(a: float, d: float, alpha: float) -> NDArray[np.float64]:
    cos, sin = np.cos(alpha), np.sin(alpha)
    return np.array([[1, 0, 0, a], [0, cos, -sin, -sin * d], [0, sin, cos, cos * d], [0, 0, 0, 1]], np.float64)


_FIXED_PARTS = tuple(_fixed_part(*row) for row in _DENAVIT_HARTENBERG)


def locate_hand(
    joints: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """The hand of seven joint angles.

    Args:
        joints: [7], rad.

    Returns:
        Position [3] in m of the place between the pads in the base's frame; its axes [3, 3], one a column (z out of the
        gripper, y the way that the fingers close); the Jacobian [6, 7] in m/rad and rad/rad.
    """
    frame = np.eye(4)
    axes, origins = np.empty((7, 3)), np.empty((7, 3))
    for index, angle in enumerate(joints):
        cos, sin = np.cos(angle), np.sin(angle)
        frame = frame @ _FIXED_PARTS[index]
        # Rz(angle): the first two columns turn into each other.
        first, second = frame[:, 0].copy(), frame[:, 1].copy()
        frame[:, 0], frame[:, 1] = first * cos + second * sin, second * cos - first * sin
        axes[index], origins[index] = frame[:3, 2], frame[:3, 3]
    position = frame[:3, 3] + PINCH_FROM_JOINT_7_M * frame[:3, 2]
    arms = position - origins
    moved = np.stack(
        [
            axes[:, 1] * arms[:, 2] - axes[:, 2] * arms[:, 1],
            axes[:, 2] * arms[:, 0] - axes[:, 0] * arms[:, 2],
            axes[:, 0] * arms[:, 1] - axes[:, 1] * arms[:, 0],
        ]
    )
    return position, frame[:3, :3].copy(), np.concatenate([moved, axes.T])


def flange_pose(joints: NDArray[np.float64]) -> NDArray[np.float64]:
    """x y z in m and roll pitch yaw in rad (turns about the base's x, y, z in that order), float64 [6].

    All joints at 0: the flange is at x 0.088, z 0.926 and looks down (roll π).
    """
    pinch, axes, _ = locate_hand(joints)
    pitch = -np.arcsin(np.clip(axes[2, 0], -1.0, 1.0))
    roll, yaw = np.arctan2(axes[2, 1], axes[2, 2]), np.arctan2(axes[1, 0], axes[0, 0])
    return np.array([*(pinch - PINCH_FROM_FLANGE_M * axes[:, 2]), roll, pitch, yaw])


def axes_of(quaternion: ArrayLike) -> NDArray[np.float64]:
    """float64 [3, 3], the axes that a quaternion, w x y z, of any length turns to, one a column."""
    w, x, y, z = np.asarray(quaternion, np.float64) / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


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
