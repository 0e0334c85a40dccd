"""Where the flange is, from the joints: recorded because DROID's data has it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# a [m], d [m], alpha [rad] of joints 1 to 7 and the flange, by Craig's convention; the same for Panda and FR3.
# Source: Franka Robotics, "Robot specifications: Denavit-Hartenberg parameters".
_LINKS = (
    (0.0, 0.333, 0.0),
    (0.0, 0.0, -np.pi / 2),
    (0.0, 0.316, np.pi / 2),
    (0.0825, 0.0, np.pi / 2),
    (-0.0825, 0.384, -np.pi / 2),
    (0.0, 0.0, np.pi / 2),
    (0.088, 0.0, np.pi / 2),
    (0.0, 0.107, 0.0),
)


def flange_pose(joint_positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """x y z in m and roll pitch yaw in rad (turns about the base's x, y, z in that order), float64 [6].

    All joints at 0: the flange is at x 0.088, z 0.926 and looks down (roll π).
    """
    pose = np.eye(4)
    for (a, d, alpha), theta in zip(_LINKS, [*joint_positions, 0.0], strict=True):
        cos, sin, cos_a, sin_a = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
        pose = pose @ np.array(
            [
                [cos, -sin, 0.0, a],
                [sin * cos_a, cos * cos_a, -sin_a, -d * sin_a],
                [sin * sin_a, cos * sin_a, cos_a, d * cos_a],
                [0.0, 0.0, 0.0, 1.0],
            ]
        )
    turn = pose[:3, :3]
    pitch = -np.arcsin(np.clip(turn[2, 0], -1.0, 1.0))
    return np.array([*pose[:3, 3], np.arctan2(turn[2, 1], turn[2, 2]), pitch, np.arctan2(turn[1, 0], turn[0, 0])])
