"""The whole world in one model: arm, table, things, lights and the three cameras of DROID."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robot.objects import Shape
from robot.simulation.arm_parts import JOINT_NAMES, WRIST_BODY, ArmParts
from robot.simulation.arrangement import HALF_SIZES, SLOTS
from robot.simulation.assets import find_panda
from robot.simulation.library import mujoco
from robot.simulation.mesh_arm import load_mesh_arm
from robot.simulation.plain_arm import build_plain_arm

STEP_S = 0.002
"""500 Hz, the rate of the impedance law too."""

CANVAS_SIZE = (640, 540)

JOINT_DAMPING, JOINT_ARMATURE, JOINT_FRICTION = 0.21, 0.195, 1.137
"""N·m·s/rad, kg·m², N·m: identified on a Franka Research 3. With them a recorded DROID episode that is played through
the impedance law stays within 0.010 rad of the recording on average; without friction the arm is too quick."""

WRIST_CAMERA, EXTERIOR_1, EXTERIOR_2 = "wrist", "exterior_1", "exterior_2"

_EXTERIOR_FOVY = math.degrees(2 * math.atan(3.024 / 2 / 2.1))
_WRIST_FOVY = math.degrees(2 * math.atan(3.024 / 2 / 2.8))
"""Sensor height and focal lengths in mm of RoboLab's cameras (NVlabs/RoboLab, DROID embodiment)."""

_MASSES_KG: dict[Shape, float] = {"cube": 0.06, "cylinder": 0.06, "bowl": 0.12}
_GRIP_FRICTION = (1.0, 0.02, 0.0001)

_TABLE, _FLOOR, _WALL = (0.66, 0.56, 0.44, 1.0), (0.55, 0.56, 0.58, 1.0), (0.80, 0.81, 0.82, 1.0)


@dataclass(frozen=True)
class Scene:
    """A compiled world. Things lie in a heap until somebody places them.

    Attributes:
        model: a `mujoco.MjModel`. Colours of things change with the seed, nothing else of it does.
        thing_names: bodies of the things, in the order of ``SLOTS``.
    """

    model: Any
    arm: ArmParts
    thing_names: tuple[str, ...]


def build_scene(assets: Path | None = None, *, plain: bool = False) -> Scene:
    """The world, with meshes where they are found.

    Args:
        assets: the folder of `panda.xml`; without it the installed package is searched.
        plain: use the arm of plain shapes although there are meshes.
    """
    panda_xml = None if plain else find_panda(assets)
    arm = build_plain_arm() if panda_xml is None else load_mesh_arm(panda_xml)
    spec = arm.spec
    _set_options(spec)
    _set_joint_dynamics(spec, arm)
    _add_room(spec)
    _add_cameras(spec)
    names = tuple(_add_thing(spec, index, shape) for index, shape in enumerate(SLOTS))
    return Scene(spec.compile(), arm, names)


def _set_options(spec: Any) -> None:
    spec.option.timestep = STEP_S
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    # MuJoCo 4.0.0 has a fault in its sparse Newton solver (google-deepmind/mujoco issue 3767); dense is as fast.
    spec.option.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 10
    look = spec.visual
    look.global_.offwidth, look.global_.offheight = CANVAS_SIZE
    look.quality.offsamples = 0
    # Both are multiples of the extent, which the walls would stretch: what the fingers hold must not be cut open.
    spec.stat.extent = 1.0
    look.map.znear, look.map.zfar = 0.01, 12.0
    look.quality.numslices, look.quality.numstacks = 20, 8
    look.headlight.ambient, look.headlight.diffuse, look.headlight.specular = [0.34] * 3, [0.16] * 3, [0.0] * 3


def _set_joint_dynamics(spec: Any, arm: ArmParts) -> None:
    for name in JOINT_NAMES:
        joint = spec.joint(name)
        joint.damping = [JOINT_DAMPING, 0, 0]
        joint.armature = JOINT_ARMATURE
        joint.frictionloss = JOINT_FRICTION
    for name in arm.pad_geoms:
        pad = spec.geom(name)
        # Before what it touches: the pads twist with what they hold, and the table need not.
        pad.condim, pad.friction, pad.priority = 4, _GRIP_FRICTION, 1


def _add_room(spec: Any) -> None:
    """Boxes only: a plane is drawn as a grid of 40 000 quads, which a processor feels."""
    box = mujoco.mjtGeom.mjGEOM_BOX
    world = spec.worldbody
    for direction, brightness in (([0.3, -0.4, -1.0], 0.42), ([-0.5, 0.6, -0.6], 0.2)):
        world.add_light(
            pos=[0.3, 0.3, 3.0],
            dir=direction,
            type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
            castshadow=False,
            diffuse=[brightness] * 3,
            specular=[0.05] * 3,
        )
    world.add_geom(name="table", type=box, size=[0.6, 0.75, 0.02], pos=[0.4, 0, -0.02], rgba=_TABLE, conaffinity=3)
    world.add_geom(type=box, size=[3, 3, 0.01], pos=[0, 0, -0.75], rgba=_FLOOR, contype=0, conaffinity=0)
    for place, size in (
        ([2.2, 0, 0.8], [0.01, 3, 1.6]),
        ([0, 2.4, 0.8], [3, 0.01, 1.6]),
        ([0, -2.4, 0.8], [3, 0.01, 1.6]),
    ):
        world.add_geom(type=box, size=size, pos=place, rgba=_WALL, contype=0, conaffinity=0)


def _add_cameras(spec: Any) -> None:
    """Where RoboLab has them: the exteriors left and right of the base, the wrist looking along the fingers."""
    world = spec.worldbody
    left = {"pos": [0.05, 0.57, 0.66], "quat": [-0.393, -0.195, 0.399, 0.805]}
    right = {"pos": [0.05, -0.57, 0.66], "quat": [0.805, 0.399, -0.195, -0.393]}
    world.add_camera(name=EXTERIOR_1, fovy=_EXTERIOR_FOVY, **left)
    world.add_camera(name=EXTERIOR_2, fovy=_EXTERIOR_FOVY, **right)
    eye = (0.075, 0.0, 0.03)
    turn = look_at(eye, target=(0.0, 0.0, 0.18), up=(1.0, 0.0, 0.0))
    spec.body(WRIST_BODY).add_camera(name=WRIST_CAMERA, pos=eye, quat=turn, fovy=_WRIST_FOVY)


def look_at(eye: ArrayLike, target: ArrayLike, up: ArrayLike) -> NDArray[np.float64]:
    """The turn, w x y z, of a camera at ``eye`` that sees ``target`` in its middle; it looks along its own -z."""
    backward = np.asarray(eye, np.float64) - np.asarray(target, np.float64)
    backward /= np.linalg.norm(backward)
    right = np.cross(np.asarray(up, np.float64), backward)
    right /= np.linalg.norm(right)
    turn = np.empty(4)
    mujoco.mju_mat2Quat(turn, np.stack([right, np.cross(backward, right), backward], axis=1).ravel())
    return turn


def _add_thing(spec: Any, index: int, shape: Shape) -> str:
    name = f"thing{index}"
    body = spec.worldbody.add_body(name=name, pos=[0.5, 0.15 * (index - 2), 0.1])
    body.add_freejoint()
    surface = {"friction": _GRIP_FRICTION, "conaffinity": 3}
    kinds = mujoco.mjtGeom
    size = HALF_SIZES[shape]
    mass = _MASSES_KG[shape]
    if shape == "cube":
        body.add_geom(type=kinds.mjGEOM_BOX, size=size, mass=mass, **surface)
    elif shape == "cylinder":
        body.add_geom(type=kinds.mjGEOM_CYLINDER, size=[size[0], size[2], 0], mass=mass, **surface)
    else:
        _add_bowl(body, mass, surface)
    return name


def _add_bowl(body: Any, mass: float, surface: dict[str, Any]) -> None:
    """A disc and sixteen boards around it, a little above the table: only the disc stands on it."""
    outer, _, half_height = HALF_SIZES["bowl"]
    floor, board, num_boards = 0.003, 0.0028, 16
    kinds = mujoco.mjtGeom
    body.add_geom(
        type=kinds.mjGEOM_CYLINDER,
        size=[outer - board, floor, 0],
        pos=[0, 0, floor - half_height],
        mass=mass / 2,
        **surface,
    )
    half_width = outer * math.tan(math.pi / num_boards)
    for step in range(num_boards):
        angle = 2 * math.pi * step / num_boards
        body.add_geom(
            type=kinds.mjGEOM_BOX,
            size=[board, half_width, half_height - floor / 2],
            pos=[(outer - board) * math.cos(angle), (outer - board) * math.sin(angle), floor / 2],
            quat=[math.cos(angle / 2), 0, 0, math.sin(angle / 2)],
            mass=mass / 2 / num_boards,
            **surface,
        )
