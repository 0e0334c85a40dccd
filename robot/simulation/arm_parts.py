"""What the world needs to know of an arm, whether it is made of meshes or of plain shapes, and how it follows a target.

DROID's arms do so by springs in joint space and at the hand at once, soft and lagging:

tau = (J^T Kx J + Kq) (q_target - q) - (J^T Dx J + Dq) dq + bias   (polymetis, `HybridJointImpedanceControl`)

The policy was trained on arms that trail their target by four to five ticks; a stiffer arm is another arm to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from robot.observation import NUM_JOINTS

JOINT_NAMES = tuple(f"joint{index}" for index in range(1, NUM_JOINTS + 1))
MOTOR_NAMES = tuple(f"actuator{index}" for index in range(1, NUM_JOINTS + 1))
"""Torque motors, N·m."""

GRIPPER_MOTOR = "fingers_actuator"
GRIPPER_MOTOR_CLOSED = 255.0
"""Its command when closed; 0 is open (Robotiq's own register)."""

PINCH_SITE = "pinch"
"""Between the finger pads: z out of the gripper, y along the way that the fingers close."""

WRIST_BODY = "base"
"""The gripper's housing, on which the wrist camera sits."""


@dataclass(frozen=True)
class ArmParts:
    """An arm that is ready to be put on a table.

    Attributes:
        spec: a `mujoco.MjSpec` with the names of this file in it.
        gripper_joint: the joint that tells how far the gripper has closed.
        gripper_joint_closed: its position when closed, rad or m; 0 is open.
        pad_geoms: the finger pads.
    """

    spec: Any
    made_of: Literal["meshes", "plain shapes"]
    gripper_joint: str
    gripper_joint_closed: float
    pad_geoms: tuple[str, ...]


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
