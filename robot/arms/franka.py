"""A Franka (FR3 or Panda) driven by franky-control 2.

What franky does and does not do was found with its 2.0.0 against franky-sim; each comment below says which.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from robot.clock import Clock
from robot.faults import ArmLost, NotInstalled
from robot.gripper.gripper_thread import GripperThread
from robot.observation import ArmState
from robot.safety import HOME, LIMITS, ArmModel, JointLimits

CONNECT_TIMEOUT_S = 10.0
HOME_DYNAMICS = 0.15
STOP_TIMEOUT_S = 3.0
_COLLISION_THRESHOLD = 40.0
"""Nm and N, all of them: DROID's."""

_PREEMPTED = "preempted"

_INSTALL = "pip install 'franky-control>=2,<3' (the package named franky is another project)."

_ERRORS = (
    "CommandException",
    "ControlException",
    "GripperException",
    "IncompatibleVersionException",
    "InvalidMotionTypeException",
    "InvalidOperationException",
    "ModelException",
    "MotionReuseException",
    "NetworkException",
    "ProtocolException",
    "RealtimeException",
)

Realtime = Literal["enforce", "ignore"]
"""enforce refuses to connect without a real-time kernel; ignore tries, and the arm may drop out under load."""

Following = Literal["tracker", "joint_motion"]
"""tracker is DROID's own compliant controller, held from target to target; joint_motion plans a motion for each target
and is stiffer."""

_STIFFNESS = [40.0, 30.0, 50.0, 25.0, 35.0, 25.0, 10.0]
_DAMPING = [4.0, 6.0, 5.0, 5.0, 3.0, 2.0, 1.0]
_CARTESIAN_STIFFNESS = [400.0, 400.0, 400.0, 15.0, 15.0, 15.0]
_CARTESIAN_DAMPING = [37.0, 37.0, 37.0, 2.0, 2.0, 2.0]
"""DROID's hybrid gains (droid, the launch files' overrides of polymetis): franky's law is the same, so they are used as
they are. Nm/rad, Nms/rad, N/m and Nm/rad, Ns/m and Nms/rad."""

_PLANNED_DYNAMICS = 0.6
"""Of the limits, for planned motions. Each plan ends at rest, so that the next one has to begin slowly: at 0.3 an arm
swaying at 0.5 rad/s falls 0.4 rad behind, and too much is clamped; at 0.6 it is 0.14 at most."""


class Follower(Protocol):
    """Begins where the arm is."""

    def go(self, joint_positions: NDArray[np.float64]) -> None:
        """Head for these positions, float64 [7]; returns at once."""
        ...


class TrackerFollower:
    """franky's JointImpedanceTracker. It has neither velocity limit nor watchdog; the filter and the loop have them."""

    def __init__(self, library: Any, robot: Any, limits: JointLimits) -> None:
        self._tracker = library.JointImpedanceTracker(
            robot,
            stiffness=np.array(_STIFFNESS),
            damping=np.array(_DAMPING),
            cartesian_stiffness=np.array(_CARTESIAN_STIFFNESS),
            cartesian_damping=np.array(_CARTESIAN_DAMPING),
            lower_joint_limits=limits.position_min,
            upper_joint_limits=limits.position_max,
        )

    def go(self, joint_positions: NDArray[np.float64]) -> None:
        """Set the target."""
        self._tracker.set_target(np.asarray(joint_positions, np.float64))


class PlannedFollower:
    """A JointMotion for each target; each takes over from the one before without a stop."""

    def __init__(self, library: Any, robot: Any) -> None:
        self._library = library
        self._robot = robot

    def go(self, joint_positions: NDArray[np.float64]) -> None:
        """Plan a motion; a list of plain floats, for it takes no float32."""
        target = np.asarray(joint_positions, np.float64).tolist()
        motion = self._library.JointMotion(
            target, relative_dynamics_factor=_PLANNED_DYNAMICS, return_when_finished=False
        )
        self._robot.move(motion, asynchronous=True)


class FrankaArm:
    """An Arm.

    Args:
        robot: a connected `franky.Robot`.
        gripper: on its own thread.
    """

    def __init__(
        self, library: Any, robot: Any, gripper: GripperThread, clock: Clock, following: Following = "tracker"
    ) -> None:
        self._library = library
        self._errors = franky_errors(library)
        self._robot = robot
        self._gripper = gripper
        self._clock = clock
        self._following: Following = following
        self._lock = threading.RLock()
        self._follower: Follower | None = None
        self._stopped = False
        self._robot_time_ms = -1
        self._measured_at_s = clock.now()
        with self._translated():
            self._model: ArmModel = "fr3" if "fr3" in robot.model_urdf.lower() else "panda"
            _set_limits(robot, LIMITS[self._model])
            robot.set_collision_behavior(_COLLISION_THRESHOLD, _COLLISION_THRESHOLD)

    @property
    def model(self) -> ArmModel:
        """As the robot's own description names it."""
        return self._model

    def state(self) -> ArmState:
        """The newest measurement; its time stands still when the robot's does.

        A link that is lost shows in nothing else for a second: franky still says that it is in control.
        """
        with self._translated():
            joints, time_ms = self._robot.current_joint_state, self._robot.state.time.to_msec()
            if time_ms != self._robot_time_ms:
                self._robot_time_ms, self._measured_at_s = time_ms, self._clock.now()
            positions = np.array(joints.position, np.float64)
            velocities = np.array(joints.velocity, np.float64)
        return ArmState(self._measured_at_s, positions, velocities, self._gripper.position())

    def set_target(self, joint_positions: NDArray[np.float64], gripper_position: float) -> None:
        """Go there; the first target after a stop starts the motion, where the arm is."""
        with self._lock, self._translated():
            if self._stopped:
                return
            if self._follower is None:
                self._follower = self._follow()
            # A motion that failed says so only here: move() and set_target() succeed although the server is gone.
            elif not self._robot.is_in_control:
                self._robot.poll_motion()
                raise ArmLost("The arm's motion ended unexpectedly.", hint="Check the robot's own display.")
            self._robot.poll_motion()
            self._follower.go(joint_positions)
        self._gripper.move(gripper_position)

    def hold(self) -> None:
        """The target becomes where the arm is; the controller goes on, compliant."""
        with self._lock, self._translated():
            if self._follower is not None and not self._stopped:
                self._follower.go(np.array(self._robot.current_joint_positions, np.float64))

    def stop(self) -> None:
        """Brake; returns while it does."""
        with self._lock, self._translated():
            self._stopped, follower, self._follower = True, self._follower, None
            if follower is None or not self._robot.is_in_control:
                return
            # Another kind of motion than the one that runs is refused, so each ends in its own.
            stop = self._library.TorqueStopMotion if self._following == "tracker" else self._library.JointStopMotion
            self._robot.move(stop(), asynchronous=True)

    def recover(self) -> None:
        """Wait until it rests, clear its errors, take targets again."""
        with suppress(ArmLost):  # what ended the last motion is told once more; whether it is over is asked below
            self._come_to_rest()
        with self._lock, self._translated():
            if self._robot.has_errors and not self._robot.recover_from_errors():
                raise ArmLost("The arm's errors could not be cleared.", hint="Check whether its user stop is pressed.")
            self._gripper.recover()
            self._stopped = False

    def home(self) -> None:
        """Move to the start pose at a seventh of the limits; a stop ends it."""
        self.stop()
        self.recover()
        with self._translated():
            self._robot.move(self._library.JointMotion(HOME.tolist(), relative_dynamics_factor=HOME_DYNAMICS))
        if self._stopped:
            raise ArmLost("Moving home was stopped.")

    def close(self) -> None:
        """Come to rest and let go."""
        with suppress(ArmLost):
            self.stop()
            self._come_to_rest()
        self._gripper.close()

    def _follow(self) -> Follower:
        if self._following == "tracker":
            return TrackerFollower(self._library, self._robot, LIMITS[self._model])
        return PlannedFollower(self._library, self._robot)

    def _come_to_rest(self) -> None:
        with self._translated():
            if not self._robot.join_motion(STOP_TIMEOUT_S):
                raise ArmLost(f"The arm did not come to rest within {STOP_TIMEOUT_S:g} s.")

    @contextmanager
    def _translated(self) -> Generator[None, None, None]:
        try:
            yield
        except ArmLost:
            raise
        except self._errors as error:
            if _PREEMPTED in str(error):  # What joins a motion that was stopped is told so; that is no fault.
                return
            raise ArmLost(f"The arm reports: {_sentence(error)}", hint=_hint(error)) from None


def load_franky() -> Any:
    """The module.

    Raises:
        NotInstalled: it is not there, or it is another project of that name.
    """
    try:
        library = importlib.import_module("franky")
    except ImportError as error:
        raise NotInstalled(f"A Franka needs franky-control, which cannot be loaded: {error}.", hint=_INSTALL) from None
    if not hasattr(library, "JointImpedanceTracker"):
        raise NotInstalled(
            f"The franky at {library.__file__} has no JointImpedanceTracker; expected franky-control 2.", hint=_INSTALL
        )
    return library


def franky_errors(library: Any) -> tuple[type[Exception], ...]:
    """What its calls raise: its own, which share no base, and RuntimeError and ValueError for what cannot be done."""
    return (RuntimeError, ValueError, *(getattr(library, name) for name in _ERRORS if hasattr(library, name)))


def connect_franka(host: str, realtime: Realtime = "enforce", library: Any = None) -> tuple[Any, Any]:
    """(franky, a connected robot).

    Raises:
        NotInstalled: franky-control is not there.
        ArmLost: nobody answers, not in time, or not of a version that it speaks.
    """
    library = library or load_franky()
    mode = library.RealtimeConfig.Enforce if realtime == "enforce" else library.RealtimeConfig.Ignore
    found: list[Any] = []
    failed: list[Exception] = []

    def connect() -> None:
        try:
            found.append(library.Robot(host, realtime_config=mode))
        except franky_errors(library) as error:
            failed.append(error)

    # A second client of one robot hangs for ever instead of being refused.
    thread = threading.Thread(target=connect, name="franka", daemon=True)
    thread.start()
    thread.join(CONNECT_TIMEOUT_S)
    if failed:
        raise ArmLost(f"The Franka at {host} refuses: {_sentence(failed[0])}", param="host", hint=_hint(failed[0]))
    if not found:
        raise ArmLost(
            f"The Franka at {host} did not answer within {CONNECT_TIMEOUT_S:g} s.",
            param="host",
            hint="Check that no other program is connected to it and that FCI is enabled.",
        )
    return library, found[0]


def _set_limits(robot: Any, limits: JointLimits) -> None:
    """franky 2.0.0 gives an FR3 the Panda's limits of acceleration and jerk, which are higher for some joints; it takes
    nothing above what it believes, so each is set to the lower of the two."""
    for limit, values in (
        (robot.joint_velocity_limit, limits.velocity),
        (robot.joint_acceleration_limit, limits.acceleration),
        (robot.joint_jerk_limit, limits.jerk),
    ):
        limit.set(np.minimum(values, np.asarray(limit.max, np.float64)))


def _sentence(error: Exception) -> str:
    text = " ".join(str(error).split())
    return f"{(text or type(error).__name__).rstrip('.')}."


def _hint(error: Exception) -> str:
    hints = {
        "IncompatibleVersionException": "The robot's software version does not match this franky-control; its README "
        "lists the wheel for each version.",
        "RealtimeException": "This kernel is not real-time: install one, or start with --realtime ignore and expect "
        "the arm to drop out under load.",
        "NetworkException": "Check that the address is right, the robot is on and unlocked, and FCI is enabled.",
    }
    return hints.get(type(error).__name__, "")
