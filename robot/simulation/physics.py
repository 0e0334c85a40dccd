"""The world's state and one step of it: torques by the impedance law, the gripper by its motor. No thread, no clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robot.objects import ObjectPose
from robot.observation import NUM_JOINTS
from robot.safety.limits import HOME
from robot.simulation.arm_parts import (
    GRIPPER_MOTOR,
    GRIPPER_MOTOR_CLOSED,
    JOINT_NAMES,
    MOTOR_NAMES,
    PINCH_SITE,
    hybrid_torques,
)
from robot.simulation.arrangement import COLOURS, Placed, arrange
from robot.simulation.library import mujoco
from robot.simulation.scene import Scene


@dataclass(frozen=True)
class Snapshot:
    """The world at one moment.

    Attributes:
        time_s: since the world began.
        joint_positions, joint_velocities: float64 [7], rad and rad/s.
        gripper_position: 0 open to 1 closed.
        qpos: float64 [nq], the whole state: what a picture is drawn from.
    """

    time_s: float
    joint_positions: NDArray[np.float64]
    joint_velocities: NDArray[np.float64]
    gripper_position: float
    qpos: NDArray[np.float64]


class Physics:
    """A scene in motion.

    Args:
        scene: what is in it.
        seed: of the first table.
        placed: what lies there instead, one for every thing of the scene.
    """

    def __init__(self, scene: Scene, seed: int = 0, placed: Sequence[Placed] | None = None) -> None:
        model = scene.model
        self.scene = scene
        self.seed = seed
        self._data = mujoco.MjData(model)
        self._qpos_of_joints = np.array([model.joint(name).qposadr[0] for name in JOINT_NAMES])
        self._dof_of_joints = np.array([model.joint(name).dofadr[0] for name in JOINT_NAMES])
        self._motors = np.array([model.actuator(name).id for name in MOTOR_NAMES])
        self._gripper_motor = model.actuator(GRIPPER_MOTOR).id
        self._gripper_qpos = model.joint(scene.arm.gripper_joint).qposadr[0]
        self._pinch = model.site(PINCH_SITE).id
        self._jacobian = np.zeros((6, model.nv))
        self._target = HOME.copy()
        self._gripper_target = 0.0
        self._num_steps = 0
        if placed is None:
            self.reset(seed)
        else:
            self.lay(placed)

    @property
    def data(self) -> Any:
        """The `mujoco.MjData`: contacts and speeds of everything, to be read alone."""
        return self._data

    @property
    def is_steady(self) -> bool:
        """Whether the numbers still make sense: MuJoCo counts states that it had to give up on."""
        warnings = self._data.warning
        kinds = mujoco.mjtWarning
        return not any(
            warnings[int(kind)].number for kind in (kinds.mjWARN_BADQPOS, kinds.mjWARN_BADQVEL, kinds.mjWARN_BADQACC)
        )

    def reset(self, seed: int) -> None:
        """The arm at home, at rest and open; the table as the seed has it. The world's time goes on."""
        self.seed = seed
        self.lay(arrange(seed))

    def lay(self, placed: Sequence[Placed], joint_positions: NDArray[np.float64] = HOME) -> None:
        """Things in their places, and the arm at rest and open somewhere: [7] rad. The world's time goes on."""
        model, data = self.scene.model, self._data
        self._placed = tuple(placed)
        mujoco.mj_resetData(model, data)
        for name, lies in zip(self.scene.thing_names, self._placed, strict=True):
            body = model.body(name)
            first = body.geomadr[0]
            model.geom_rgba[first : first + body.geomnum[0], :3] = COLOURS[lies.colour]
            at = model.jnt_qposadr[body.jntadr[0]]
            data.qpos[at : at + 3] = [*lies.place, lies.half_size[2] + 0.0005]
            data.qpos[at + 3 : at + 7] = [np.cos(lies.turn / 2), 0.0, 0.0, np.sin(lies.turn / 2)]
        data.qpos[self._qpos_of_joints] = joint_positions
        self.aim(joint_positions, 0.0)
        mujoco.mj_forward(model, data)

    def push(self, thing: int, by_m: tuple[float, float]) -> None:
        """Move a thing along x and y, m, and bring it to rest there."""
        model, data = self.scene.model, self._data
        joint = model.body(self.scene.thing_names[thing]).jntadr[0]
        at, moves = model.jnt_qposadr[joint], model.jnt_dofadr[joint]
        data.qpos[at : at + 2] += by_m
        data.qvel[moves : moves + 6] = 0.0
        mujoco.mj_forward(model, data)

    def aim(self, joint_positions: NDArray[np.float64], gripper_position: float) -> None:
        """What the arm is pulled to from the next step on: [7] rad, and 0 open to 1 closed."""
        assert joint_positions.shape == (NUM_JOINTS,)
        self._target = np.asarray(joint_positions, np.float64).copy()
        self._gripper_target = float(np.clip(gripper_position, 0.0, 1.0))

    def step(self) -> None:
        """One step of ``STEP_S``."""
        model, data = self.scene.model, self._data
        mujoco.mj_jacSite(model, data, self._jacobian[:3], self._jacobian[3:], self._pinch)
        data.ctrl[self._motors] = hybrid_torques(
            self._jacobian[:, self._dof_of_joints],
            self._target - data.qpos[self._qpos_of_joints],
            data.qvel[self._dof_of_joints],
            data.qfrc_bias[self._dof_of_joints],
        )
        data.ctrl[self._gripper_motor] = GRIPPER_MOTOR_CLOSED * self._gripper_target
        mujoco.mj_step(model, data)
        self._num_steps += 1

    def snapshot(self) -> Snapshot:
        """The world as it is now; a copy."""
        data = self._data
        closed = float(data.qpos[self._gripper_qpos]) / self.scene.arm.gripper_joint_closed
        return Snapshot(
            time_s=self._num_steps * self.scene.model.opt.timestep,
            joint_positions=data.qpos[self._qpos_of_joints].copy(),
            joint_velocities=data.qvel[self._dof_of_joints].copy(),
            gripper_position=float(np.clip(closed, 0.0, 1.0)),
            qpos=data.qpos.copy(),
        )

    def object_poses(self) -> tuple[ObjectPose, ...]:
        """Where the things are now, in the frame of the arm's base."""
        poses: list[ObjectPose] = []
        for name, placed in zip(self.scene.thing_names, self._placed, strict=True):
            body = self._data.body(name)
            poses.append(
                ObjectPose(
                    colour=placed.colour,
                    shape=placed.shape,
                    position=body.xpos.copy(),
                    quaternion=body.xquat.copy(),
                    half_size=np.array(placed.half_size),
                )
            )
        return tuple(poses)

    def is_near(self, joint_positions: NDArray[np.float64], tolerance: float) -> bool:
        """Whether every joint is within ``tolerance`` rad of a place."""
        return bool(np.abs(self._data.qpos[self._qpos_of_joints] - joint_positions).max() < tolerance)
