"""Two ways for a Franka to go where it is told fifteen times a second."""

from __future__ import annotations

from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from robot.safety import JointLimits

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
