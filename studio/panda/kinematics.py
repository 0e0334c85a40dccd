"""Where the Panda's hand is for seven joint angles."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

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

PINCH_FROM_HOUSING_M = 0.145
PINCH_FROM_FLANGE_M = 0.0038 + PINCH_FROM_HOUSING_M
PINCH_FROM_JOINT_7_M = 0.107 + PINCH_FROM_FLANGE_M
"""Flange, mount of the 2F-85, and from its housing to between the pads. Straight: no turn of its own."""


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
