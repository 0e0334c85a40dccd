"""How DROID's arms follow a target: springs in joint space and at the hand at once, soft and lagging.

tau = (J^T Kx J + Kq) (q_target - q) - (J^T Dx J + Dq) dq + bias   (polymetis, `HybridJointImpedanceControl`)

The policy was trained on arms that trail their target by four to five ticks; a stiffer arm is another arm to it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

JOINT_STIFFNESS = np.array([40.0, 30.0, 50.0, 25.0, 35.0, 25.0, 10.0])
JOINT_DAMPING = np.array([4.0, 6.0, 5.0, 5.0, 3.0, 2.0, 1.0])
HAND_STIFFNESS = np.array([400.0, 400.0, 400.0, 15.0, 15.0, 15.0])
HAND_DAMPING = np.array([37.0, 37.0, 37.0, 2.0, 2.0, 2.0])
"""N·m/rad, N·m·s/rad; N/m and N·m/rad, N·s/m and N·m·s/rad (droid-dataset/droid, its polymetis configuration)."""

MAX_TORQUES = np.array([87.0, 87.0, 87.0, 87.0, 12.0, 12.0, 12.0])
"""N·m (Franka Robotics)."""


def hybrid_torques(
    jacobian: NDArray[np.float64],
    error: NDArray[np.float64],
    velocity: NDArray[np.float64],
    bias: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The motors' torques.

    Args:
        jacobian: [6, 7] of the hand: three rows of m/rad, three of rad/rad.
        error: [7], rad, target less measured.
        velocity: [7], rad/s.
        bias: [7], N·m, what gravity and motion ask for.

    Returns:
        float64 [7], N·m, within ``MAX_TORQUES``.
    """
    hand_pull = HAND_STIFFNESS * (jacobian @ error) - HAND_DAMPING * (jacobian @ velocity)
    torques = jacobian.T @ hand_pull + JOINT_STIFFNESS * error - JOINT_DAMPING * velocity + bias
    return np.minimum(np.maximum(torques, -MAX_TORQUES), MAX_TORQUES)
