"""One run of the world: an errand performed, and everything that was measured on the way. No picture, no word."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocket.world.skills import Errand, Performer
from robot.objects import ObjectPose
from robot.observation import NUM_JOINTS, ROW_WIDTH, ROWS_PER_SECOND
from robot.scripted.policy import aim_at_move
from robot.simulation.arm_parts import JOINT_NAMES
from robot.simulation.physics import Physics, Snapshot
from robot.simulation.scene import STEP_S, Scene
from studio.panda.kinematics import locate_hand

SNAPSHOTS_PER_SECOND = 30
"""Every rate that clips are drawn at divides it."""

SETTLE_S = 0.3
"""Before the run begins, so that nothing is heard of the things being laid."""

TABLE, LEFT_FINGER, RIGHT_FINGER, ARM, ROOM = -1, -2, -3, -4, -5
"""Owners of a contact; a thing is its own index."""


@dataclass(frozen=True)
class Touches:
    """Every contact of every step, c in all.

    Attributes:
        steps: int64 [c], ascending.
        owners: int64 [c, 2], the smaller first.
        forces: float64 [c], N along the normal.
        positions: float64 [c, 3], m.
    """

    steps: NDArray[np.int64]
    owners: NDArray[np.int64]
    forces: NDArray[np.float64]
    positions: NDArray[np.float64]


@dataclass(frozen=True)
class Run:
    """What was measured.

    Attributes:
        snapshots: 30 a second; number k was taken k / 30 s after the run began.
        poses: float64 [k, N, 7] of the things at the snapshots, place and quaternion.
        targets, expert: float64 [k, 8], in force at the snapshot, and what the skill said.
        disturbed: bool [k].
        joint_speeds: float64 [s, 8] at every step: rad/s of the joints, share of its way a second of the gripper.
        things: float64 [s, N, 9] at every step: place in m, velocity in m/s, turning in rad/s, all in the world's axes.
        ended_s: when the errand was first found done, or the run's length.
    """

    errand: Errand
    snapshots: tuple[Snapshot, ...]
    poses: NDArray[np.float64]
    targets: NDArray[np.float64]
    expert: NDArray[np.float64]
    disturbed: NDArray[np.bool_]
    joint_speeds: NDArray[np.float64]
    things: NDArray[np.float64]
    touches: Touches
    ended_s: float

    @property
    def duration_s(self) -> float:
        """Of the run."""
        return (len(self.snapshots) - 1) / SNAPSHOTS_PER_SECOND


@dataclass(frozen=True)
class Disturbance:
    """What keeps a run from being a straight line, so that a policy sees more than the middle of the road.

    Attributes:
        noise_rad: standard deviation of every target.
        first_tick, end_tick: of a burst in which ``offset_rad`` float64 [7] is added.
        flips_gripper: whether the gripper does the opposite in the burst.
    """

    noise_rad: float = 0.0
    first_tick: int = 0
    end_tick: int = 0
    offset_rad: NDArray[np.float64] | None = None
    flips_gripper: bool = False


STEADY = Disturbance()


def perform(
    physics: Physics,
    errand: Errand,
    generator: np.random.Generator,
    *,
    is_done: Callable[[tuple[ObjectPose, ...], Snapshot], bool],
    linger_s: float,
    limit_s: float,
    least_s: float = 0.0,
    disturbance: Disturbance = STEADY,
    measures_steps: bool = True,
) -> Run | None:
    """Perform an errand from the state that the world is in.

    Args:
        is_done: asked at every tick whether the errand is done.
        linger_s: simulated after that.
        limit_s, least_s: the longest and the shortest run.
        measures_steps: what happens between snapshots too; else `joint_speeds`, `things` and `touches` are empty.

    Returns:
        None where the simulation lost its balance.
    """
    start = physics.snapshot()
    physics.aim(start.joint_positions, 0.0)
    for _ in range(round(SETTLE_S / STEP_S)):
        physics.step()
    recorder = _Recorder(physics, measures_steps=measures_steps)
    performer = Performer(errand, physics.object_poses())
    last = physics.snapshot().joint_positions
    row = expert = np.array([*last, 0.0])
    ended_s: float | None = None
    is_disturbed = False
    frame = 0
    while True:
        time_s = frame / SNAPSHOTS_PER_SECOND
        if frame % (SNAPSHOTS_PER_SECOND // ROWS_PER_SECOND) == 0:
            now, objects = physics.snapshot(), physics.object_poses()
            if ended_s is None and is_done(objects, now):
                ended_s = time_s
            tick = frame * ROWS_PER_SECOND // SNAPSHOTS_PER_SECOND
            position, axes, _ = locate_hand(now.joint_positions)
            move = performer.next_move(position, axes, now.gripper_position, objects)
            joints = aim_at_move(now.joint_positions, position, axes, move, last)
            expert = np.array([*joints, move.gripper])
            is_disturbed = disturbance.first_tick <= tick < disturbance.end_tick
            row = _disturbed(expert, disturbance, generator, in_burst=is_disturbed)
            last = row[:NUM_JOINTS]
            physics.aim(row[:NUM_JOINTS], float(row[NUM_JOINTS]))
        recorder.keep_snapshot(row, expert, is_disturbed=is_disturbed)
        if time_s >= limit_s or (ended_s is not None and time_s >= max(least_s, ended_s + linger_s)):
            break
        frame += 1
        for _ in range(round(frame / SNAPSHOTS_PER_SECOND / STEP_S) - recorder.num_steps):
            physics.step()
            recorder.keep_step()
    if not physics.is_steady:
        return None
    return recorder.run(errand, ended_s if ended_s is not None else frame / SNAPSHOTS_PER_SECOND)


def _disturbed(
    row: NDArray[np.float64], disturbance: Disturbance, generator: np.random.Generator, *, in_burst: bool
) -> NDArray[np.float64]:
    done = row.copy()
    if disturbance.noise_rad:
        done[:NUM_JOINTS] += generator.normal(0, disturbance.noise_rad, NUM_JOINTS)
    if in_burst and disturbance.offset_rad is not None:
        done[:NUM_JOINTS] += disturbance.offset_rad
        if disturbance.flips_gripper:
            done[NUM_JOINTS] = 1.0 - done[NUM_JOINTS]
    return done


class _Recorder:
    def __init__(self, physics: Physics, *, measures_steps: bool) -> None:
        self._measures_steps = measures_steps
        scene = physics.scene
        model = scene.model
        self._physics, self._data = physics, physics.data
        self._owners = owners_of_geoms(scene)
        joints = [model.joint(name).dofadr[0] for name in JOINT_NAMES]
        self._speeds_at = np.array([*joints, model.joint(scene.arm.gripper_joint).dofadr[0]])
        self._closed_at = scene.arm.gripper_joint_closed
        bodies = [model.body(name) for name in scene.thing_names]
        self._places_at = np.array([[model.jnt_qposadr[body.jntadr[0]] + k for k in range(7)] for body in bodies])
        self._dofs_at = np.array([[model.jnt_dofadr[body.jntadr[0]] + k for k in range(6)] for body in bodies])
        self.num_steps = 0
        self._snapshots: list[Snapshot] = []
        self._rows: list[NDArray[np.float64]] = []
        self._experts: list[NDArray[np.float64]] = []
        self._disturbed: list[bool] = []
        self._speeds: list[NDArray[np.float64]] = []
        self._places: list[NDArray[np.float64]] = []
        self._velocities: list[NDArray[np.float64]] = []
        self._touches: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]] = []

    def keep_snapshot(self, row: NDArray[np.float64], expert: NDArray[np.float64], *, is_disturbed: bool) -> None:
        self._snapshots.append(self._physics.snapshot())
        self._rows.append(row)
        self._experts.append(expert)
        self._disturbed.append(is_disturbed)

    def keep_step(self) -> None:
        self.num_steps += 1
        if not self._measures_steps:
            return
        data = self._data
        self._speeds.append(data.qvel[self._speeds_at])
        if len(self._places_at):
            self._places.append(data.qpos[self._places_at])
            self._velocities.append(data.qvel[self._dofs_at])
        if data.ncon:
            contact = data.contact
            owners = np.sort(self._owners[contact.geom], axis=1)
            # Of the arm's own touching nothing is heard or told.
            matters = (owners[:, 1] >= TABLE) & (contact.efc_address >= 0) & (owners[:, 0] != ROOM)
            if matters.any():
                self._touches.append(
                    (
                        np.full(int(matters.sum()), self.num_steps - 1),
                        owners[matters],
                        data.efc_force[contact.efc_address[matters]],
                        contact.pos[matters].copy(),
                    )
                )

    def run(self, errand: Errand, ended_s: float) -> Run:
        num_things = len(self._places_at)
        states = np.array([snapshot.qpos for snapshot in self._snapshots])
        num_measured = len(self._speeds)
        places = np.array(self._places).reshape(num_measured, num_things, 7)
        velocities = np.array(self._velocities).reshape(num_measured, num_things, 6)
        things = np.concatenate([places[..., :3], velocities], axis=2)
        # A free joint turns in its own axes.
        things[..., 6:] = _turned(places[..., 3:], velocities[..., 3:])
        speeds = np.array(self._speeds).reshape(num_measured, len(self._speeds_at))
        speeds[:, NUM_JOINTS] /= self._closed_at
        kept = list(zip(*self._touches, strict=True))
        return Run(
            errand=errand,
            snapshots=tuple(self._snapshots),
            poses=states[:, self._places_at].reshape(len(states), num_things, 7),
            targets=np.array(self._rows).reshape(-1, ROW_WIDTH),
            expert=np.array(self._experts).reshape(-1, ROW_WIDTH),
            disturbed=np.array(self._disturbed),
            joint_speeds=speeds,
            things=things,
            touches=Touches(
                steps=np.concatenate(kept[0]) if kept else np.zeros(0, np.int64),
                owners=np.concatenate(kept[1]) if kept else np.zeros((0, 2), np.int64),
                forces=np.concatenate(kept[2]) if kept else np.zeros(0),
                positions=np.concatenate(kept[3]) if kept else np.zeros((0, 3)),
            ),
            ended_s=ended_s,
        )


def owners_of_geoms(scene: Scene) -> NDArray[np.int64]:
    """int64 [ngeom]: whose each geom is: a thing's index, ``TABLE``, a finger, the ``ARM`` or the ``ROOM``."""
    model = scene.model
    table = model.geom("table").id
    owners = np.empty(model.ngeom, np.int64)
    for geom in range(model.ngeom):
        name: Any = model.body(int(model.geom_bodyid[geom])).name
        if name in scene.thing_names:
            owners[geom] = scene.thing_names.index(name)
        elif geom == table:
            owners[geom] = TABLE
        elif name == "world":
            owners[geom] = ROOM
        elif name.startswith("left_"):
            owners[geom] = LEFT_FINGER
        elif name.startswith("right_"):
            owners[geom] = RIGHT_FINGER
        else:
            owners[geom] = ARM
    return owners


def _turned(quaternions: NDArray[np.float64], vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Vectors [..., 3] in the axes of quaternions [..., 4] (w first), in the world's axes."""
    w, axis = quaternions[..., :1], quaternions[..., 1:]
    across = 2 * np.cross(axis, vectors)
    return vectors + w * across + np.cross(axis, across)
