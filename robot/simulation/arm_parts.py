"""What the world needs to know of an arm's model, whether it is made of meshes or of plain shapes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

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
