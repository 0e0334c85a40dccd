"""The whole world in one model: arm, table, things, lights and the three cameras of DROID."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robot.objects import Shape
from robot.simulation.arm_parts import JOINT_NAMES, WRIST_BODY, ArmParts
from robot.simulation.arrangement import HALF_SIZES, SLOTS
from robot.simulation.library import mujoco
from robot.simulation.mesh_arm import find_panda, load_mesh_arm
from robot.simulation.plain_arm import build_plain_arm
from studio.panda.cameras import EXTERIORS, FOVY_DEGREES, WRIST_EYE, WRIST_FOVY_DEGREES, WRIST_TARGET

Colour = tuple[float, float, float]

MASSES_KG: dict[Shape, float] = {"cube": 0.06, "cylinder": 0.06, "ball": 0.05, "bowl": 0.12}


@dataclass(frozen=True)
class ThingKind:
    """One thing, but for its colour and its place.

    Attributes:
        half_size: m, half of its extent along its own axes.
        specular, shininess: 0 to 1, as MuJoCo's materials have them; None leaves the thing without a material.
    """

    shape: Shape
    half_size: tuple[float, float, float]
    mass_kg: float
    specular: float | None = None
    shininess: float = 0.5


@dataclass(frozen=True)
class Light:
    """A light from far away.

    Attributes:
        direction: that it shines in.
        brightness: 0 to 1.
        casts_shadow: drawn where the renderer draws shadows.
    """

    direction: tuple[float, float, float]
    brightness: float
    casts_shadow: bool = False
    specular: float = 0.05


@dataclass(frozen=True)
class Look:
    """Room and light.

    Attributes:
        ambient, headlight: 0 to 1, light from everywhere and from the camera.
    """

    table: Colour = (0.66, 0.56, 0.44)
    floor: Colour = (0.55, 0.56, 0.58)
    wall: Colour = (0.80, 0.81, 0.82)
    lights: tuple[Light, ...] = (Light((0.3, -0.4, -1.0), 0.42), Light((-0.5, 0.6, -0.6), 0.2))
    ambient: float = 0.34
    headlight: float = 0.16


DEFAULT_LOOK = Look()

DEFAULT_THINGS = tuple(ThingKind(shape, HALF_SIZES[shape], MASSES_KG[shape]) for shape in SLOTS)
"""What the bridge's table holds."""


STEP_S = 0.002
"""500 Hz, the rate of the impedance law too."""

CANVAS_SIZE = (640, 540)

JOINT_DAMPING, JOINT_ARMATURE, JOINT_FRICTION = 0.21, 0.195, 1.137
"""N·m·s/rad, kg·m², N·m: identified on a Franka Research 3. With them a recorded DROID episode that is played through
the impedance law stays within 0.010 rad of the recording on average; without friction the arm is too quick."""

WRIST_CAMERA, EXTERIOR_1, EXTERIOR_2 = "wrist", "exterior_1", "exterior_2"

_GRIP_FRICTION = (1.0, 0.02, 0.0001)
_ROLLING_FRICTION = (1.0, 0.02, 0.001)
"""Of a ball, so that it comes to rest."""


@dataclass(frozen=True)
class Scene:
    """A compiled world. Things lie in a heap until somebody places them.

    Attributes:
        model: a `mujoco.MjModel`. Colours of things change with the seed, nothing else of it does.
        thing_names: bodies of the things, in the order in which they were asked for.
    """

    model: Any
    arm: ArmParts
    thing_names: tuple[str, ...]


def load_arm(assets: Path | None = None, *, plain: bool = False) -> ArmParts:
    """The arm alone, with meshes where they are found; it can stand in any number of worlds.

    Args:
        assets: the folder of `panda.xml`; without it the installed package is searched.
        plain: use the arm of plain shapes although there are meshes.
    """
    panda_xml = None if plain else find_panda(assets)
    return build_plain_arm() if panda_xml is None else load_mesh_arm(panda_xml)


def build_scene(assets: Path | None = None, *, plain: bool = False) -> Scene:
    """The world of the bridge. The arguments are those of ``load_arm``."""
    return furnish(load_arm(assets, plain=plain))


def furnish(arm: ArmParts, things: Sequence[ThingKind] = DEFAULT_THINGS, look: Look = DEFAULT_LOOK) -> Scene:
    """A world around a copy of an arm: 40 ms with meshes, 1 ms without."""
    arm = replace(arm, spec=arm.spec.copy())
    spec = arm.spec
    _set_options(spec, look)
    _set_joint_dynamics(spec, arm)
    _add_room(spec, look)
    _add_cameras(spec)
    names = tuple(_add_thing(spec, index, kind) for index, kind in enumerate(things))
    return Scene(spec.compile(), arm, names)


def _set_options(spec: Any, look: Look) -> None:
    spec.option.timestep = STEP_S
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    # MuJoCo 4.0.0 has a fault in its sparse Newton solver (google-deepmind/mujoco issue 3767); dense is as fast.
    spec.option.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 10
    visual = spec.visual
    visual.global_.offwidth, visual.global_.offheight = CANVAS_SIZE
    visual.quality.offsamples = 0
    # Both are multiples of the extent, which the walls would stretch: what the fingers hold must not be cut open.
    spec.stat.extent = 1.0
    visual.map.znear, visual.map.zfar = 0.01, 12.0
    visual.quality.numslices, visual.quality.numstacks = 20, 8
    headlight = visual.headlight
    headlight.ambient, headlight.diffuse, headlight.specular = [look.ambient] * 3, [look.headlight] * 3, [0.0] * 3


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


def _add_room(spec: Any, look: Look) -> None:
    """Boxes only: a plane is drawn as a grid of 40 000 quads, which a processor feels."""
    box = mujoco.mjtGeom.mjGEOM_BOX
    world = spec.worldbody
    for light in look.lights:
        world.add_light(
            pos=[0.3, 0.3, 3.0],
            dir=light.direction,
            type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
            castshadow=light.casts_shadow,
            diffuse=[light.brightness] * 3,
            specular=[light.specular] * 3,
        )
    world.add_geom(
        name="table", type=box, size=[0.6, 0.75, 0.02], pos=[0.4, 0, -0.02], rgba=_opaque(look.table), conaffinity=3
    )
    world.add_geom(type=box, size=[3, 3, 0.01], pos=[0, 0, -0.75], rgba=_opaque(look.floor), contype=0, conaffinity=0)
    for place, size in (
        ([2.2, 0, 0.8], [0.01, 3, 1.6]),
        ([0, 2.4, 0.8], [3, 0.01, 1.6]),
        ([0, -2.4, 0.8], [3, 0.01, 1.6]),
    ):
        world.add_geom(type=box, size=size, pos=place, rgba=_opaque(look.wall), contype=0, conaffinity=0)


def _opaque(colour: Colour) -> tuple[float, float, float, float]:
    return (*colour, 1.0)


def _add_cameras(spec: Any) -> None:
    """The exteriors left and right of the base, the wrist looking along the fingers: see `studio.panda.cameras`."""
    for name, camera in zip((EXTERIOR_1, EXTERIOR_2), EXTERIORS, strict=True):
        spec.worldbody.add_camera(name=name, fovy=FOVY_DEGREES, pos=camera.position, quat=camera.quaternion)
    turn = look_at(WRIST_EYE, target=WRIST_TARGET, up=(1.0, 0.0, 0.0))
    spec.body(WRIST_BODY).add_camera(name=WRIST_CAMERA, pos=WRIST_EYE, quat=turn, fovy=WRIST_FOVY_DEGREES)


def look_at(eye: ArrayLike, target: ArrayLike, up: ArrayLike) -> NDArray[np.float64]:
    """The turn, w x y z, of a camera at ``eye`` that sees ``target`` in its middle; it looks along its own -z."""
    backward = np.asarray(eye, np.float64) - np.asarray(target, np.float64)
    backward /= np.linalg.norm(backward)
    right = np.cross(np.asarray(up, np.float64), backward)
    right /= np.linalg.norm(right)
    turn = np.empty(4)
    mujoco.mju_mat2Quat(turn, np.stack([right, np.cross(backward, right), backward], axis=1).ravel())
    return turn


def _add_thing(spec: Any, index: int, kind: ThingKind) -> str:
    name = f"thing{index}"
    body = spec.worldbody.add_body(name=name, pos=[0.5, 0.15 * (index - 2), 0.1])
    body.add_freejoint()
    surface: dict[str, Any] = {"friction": _GRIP_FRICTION, "conaffinity": 3}
    if kind.specular is not None:
        spec.add_material(name=name, specular=kind.specular, shininess=kind.shininess)
        surface["material"] = name
    kinds = mujoco.mjtGeom
    size, mass = kind.half_size, kind.mass_kg
    if kind.shape == "cube":
        body.add_geom(type=kinds.mjGEOM_BOX, size=size, mass=mass, **surface)
    elif kind.shape == "cylinder":
        body.add_geom(type=kinds.mjGEOM_CYLINDER, size=[size[0], size[2], 0], mass=mass, **surface)
    elif kind.shape == "ball":
        surface |= {"friction": _ROLLING_FRICTION, "condim": 6}
        body.add_geom(type=kinds.mjGEOM_SPHERE, size=[size[0], 0, 0], mass=mass, **surface)
    else:
        _add_bowl(body, size, mass, surface)
    return name


def _add_bowl(body: Any, half_size: tuple[float, float, float], mass: float, surface: dict[str, Any]) -> None:
    """A disc and sixteen boards around it, a little above the table: only the disc stands on it."""
    outer, _, half_height = half_size
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
