"""A Panda of capsules with a gripper of boxes, for a machine without the meshes: it moves the same and looks plain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from robot.observation import NUM_JOINTS
from robot.safety.limits import LIMITS
from robot.simulation.arm_parts import (
    GRIPPER_MOTOR,
    GRIPPER_MOTOR_CLOSED,
    JOINT_NAMES,
    MAX_TORQUES,
    MOTOR_NAMES,
    PINCH_SITE,
    WRIST_BODY,
    ArmParts,
)
from robot.simulation.library import mujoco

Vector = tuple[float, ...]

_HALF_TURN_LEFT, _HALF_TURN_RIGHT = (1.0, -1.0, 0.0, 0.0), (1.0, 1.0, 0.0, 0.0)

LINK_FRAMES: tuple[tuple[Vector, Vector], ...] = (
    ((0.0, 0.0, 0.333), (1.0, 0.0, 0.0, 0.0)),
    ((0.0, 0.0, 0.0), _HALF_TURN_LEFT),
    ((0.0, -0.316, 0.0), _HALF_TURN_RIGHT),
    ((0.0825, 0.0, 0.0), _HALF_TURN_RIGHT),
    ((-0.0825, 0.384, 0.0), _HALF_TURN_LEFT),
    ((0.0, 0.0, 0.0), _HALF_TURN_RIGHT),
    ((0.088, 0.0, 0.0), _HALF_TURN_RIGHT),
)
"""Position in m and turn of each joint in the one before (Franka Robotics, Denavit-Hartenberg table of the Panda)."""

LINK_MASSES_KG = (4.971, 0.647, 3.229, 3.588, 1.226, 1.667, 0.736)
"""Gaz et al., "Dynamic Identification of the Franka Emika Panda Robot", 2019."""

_WHITE, _GREY, _DARK = (0.92, 0.92, 0.93, 1.0), (0.45, 0.46, 0.48, 1.0), (0.13, 0.13, 0.14, 1.0)

LINK_CAPSULES: tuple[tuple[tuple[Vector, float, Vector], ...], ...] = (
    (((0, 0, -0.19, 0, 0, 0), 0.06, _WHITE),),
    (((0, 0, -0.07, 0, 0, 0.07), 0.06, _GREY),),
    (((0, 0, -0.25, 0, 0, -0.06), 0.055, _WHITE), ((0, 0, -0.05, 0.08, 0, 0), 0.05, _WHITE)),
    (((0, 0, -0.06, 0, 0, 0.06), 0.055, _GREY), ((0, 0, 0, -0.0825, 0.1, 0), 0.05, _WHITE)),
    (((0, 0.02, -0.25, 0, 0.06, -0.08), 0.05, _WHITE), ((0, 0.05, -0.1, 0, 0, 0), 0.045, _WHITE)),
    (((0, 0, 0, 0.088, 0, 0), 0.05, _GREY),),
    (((0, 0, -0.02, 0, 0, 0.06), 0.045, _WHITE),),
)
"""From and to in m, radius in m, colour; drawn after photographs, for the eye and for coarse contact."""

GRIPPER_MOUNT_Z_M = 0.1108
PINCH_Z_M = 0.145
FINGER_TRAVEL_M = 0.0425
"""Half of the 2F-85's stroke of 85 mm; the other two lengths are where its housing and its pads sit on the flange."""

# The arm touches the table and the things on it, never itself: neighbouring capsules overlap on purpose.
_ARM_TOUCHES = {"contype": 2, "conaffinity": 0}

_PAD_SOLREF, _PAD_SOLIMP = [0.004, 1.0], [0.95, 0.99, 0.001, 0.5, 2.0]
"""Hard enough that a ball, which has one point of contact, does not sink into them (MuJoCo Menagerie's 2F-85)."""


def build_plain_arm() -> ArmParts:
    """The arm without a file."""
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    pedestal = spec.worldbody.add_body(name="link0")
    _add_capsules(pedestal, (((-0.06, 0, 0.05, 0, 0, 0.14), 0.08, _WHITE),), mass=3.0)
    link, limits = pedestal, LIMITS["panda"]
    for index in range(NUM_JOINTS):
        position, turn = LINK_FRAMES[index]
        link = link.add_body(name=f"link{index + 1}", pos=position, quat=turn)
        joint_range = [limits.position_min[index], limits.position_max[index]]
        link.add_joint(name=JOINT_NAMES[index], axis=[0, 0, 1], range=joint_range, limited=True)
        _add_capsules(link, LINK_CAPSULES[index], mass=LINK_MASSES_KG[index])
    _add_gripper(spec, link)
    for joint, motor, torque in zip(JOINT_NAMES, MOTOR_NAMES, MAX_TORQUES, strict=True):
        actuator = spec.add_actuator(name=motor, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        actuator.ctrlrange, actuator.ctrllimited = [-torque, torque], True
    _add_gripper_motor(spec)
    return ArmParts(
        spec=spec,
        made_of="plain shapes",
        gripper_joint="right_finger_joint",
        gripper_joint_closed=FINGER_TRAVEL_M,
        pad_geoms=("right_pad", "left_pad"),
    )


def _add_capsules(body: Any, capsules: Sequence[tuple[Vector, float, Vector]], mass: float) -> None:
    for ends, radius, colour in capsules:
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_CAPSULE,
            fromto=ends,
            size=[radius, 0, 0],
            rgba=colour,
            mass=mass / len(capsules),
            **_ARM_TOUCHES,
        )


def _add_gripper(spec: Any, link7: Any) -> None:
    box = mujoco.mjtGeom.mjGEOM_BOX
    housing = link7.add_body(name=WRIST_BODY, pos=[0, 0, GRIPPER_MOUNT_Z_M])
    housing.add_geom(type=box, size=[0.035, 0.045, 0.04], pos=[0, 0, 0.045], rgba=_DARK, mass=0.8, **_ARM_TOUCHES)
    housing.add_site(name=PINCH_SITE, pos=[0, 0, PINCH_Z_M], group=4)
    for side, sign in (("right", 1.0), ("left", -1.0)):
        finger = housing.add_body(name=f"{side}_finger", pos=[0, sign * FINGER_TRAVEL_M, 0])
        finger.add_joint(
            name=f"{side}_finger_joint",
            type=mujoco.mjtJoint.mjJNT_SLIDE,
            axis=[0, -sign, 0],
            range=[0, FINGER_TRAVEL_M],
            limited=True,
            armature=0.05,
            damping=[5.0, 0, 0],
        )
        finger.add_geom(
            type=box, size=[0.01, 0.008, 0.035], pos=[0, sign * 0.014, 0.1], rgba=_GREY, mass=0.05, **_ARM_TOUCHES
        )
        finger.add_geom(
            name=f"{side}_pad",
            type=box,
            size=[0.011, 0.004, 0.02],
            pos=[0, sign * 0.004, PINCH_Z_M],
            rgba=_DARK,
            mass=0.02,
            solref=_PAD_SOLREF,
            solimp=_PAD_SOLIMP,
            **_ARM_TOUCHES,
        )
    spec.add_equality(
        type=mujoco.mjtEq.mjEQ_JOINT,
        objtype=mujoco.mjtObj.mjOBJ_JOINT,
        name1="right_finger_joint",
        name2="left_finger_joint",
        data=[0.0, 1.0] + [0.0] * 10,
    )


def _add_gripper_motor(spec: Any) -> None:
    """A spring towards the commanded opening, N/m and N·s/m, as strong as the 2F-85 at a gentle setting."""
    stiffness, damping = 1000.0, 60.0
    actuator = spec.add_actuator(name=GRIPPER_MOTOR, target="right_finger_joint", trntype=mujoco.mjtTrn.mjTRN_JOINT)
    actuator.gaintype, actuator.biastype = mujoco.mjtGain.mjGAIN_FIXED, mujoco.mjtBias.mjBIAS_AFFINE
    actuator.gainprm[0] = stiffness * FINGER_TRAVEL_M / GRIPPER_MOTOR_CLOSED
    actuator.biasprm[1], actuator.biasprm[2] = -stiffness, -damping
    actuator.ctrlrange, actuator.ctrllimited = [0, GRIPPER_MOTOR_CLOSED], True
    actuator.forcerange, actuator.forcelimited = [-40.0, 40.0], True
