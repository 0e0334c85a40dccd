"""What can go wrong beside the arm: typed errors for a person, and the reasons why a run stops.

StudioError
└── RobotFault        robot_fault
    ├── ArmLost       arm_lost        no fresh state, or a command that it did not take
    ├── CameraLost    camera_lost     no picture, or one that is too old
    ├── PolicyLost    policy_lost     the policy's server is gone, too slow, or answers what cannot be read
    ├── PolicyRefused policy_refused  it cannot drive this arm, or says so itself
    ├── NotInstalled  not_installed   a package of this hardware is missing
    └── BrokenEpisode broken_episode  a recording that cannot be read or written
"""

# The tree above says what each class is for, and a class is named by what happened: no suffix.
# ruff: noqa: D101, N818

from __future__ import annotations

from enum import StrEnum

from studio.errors import StudioError


class RobotFault(StudioError):
    code = "robot_fault"


class ArmLost(RobotFault):
    code = "arm_lost"


class CameraLost(RobotFault):
    code = "camera_lost"


class PolicyLost(RobotFault):
    code = "policy_lost"


class PolicyRefused(RobotFault):
    code = "policy_refused"


class NotInstalled(RobotFault):
    code = "not_installed"


class BrokenEpisode(RobotFault):
    code = "broken_episode"


class StopReason(StrEnum):
    """Why an arm was stopped. `sentence` is what the operator reads."""

    BUTTON = "button"
    DEAD_MAN = "dead_man"
    STALE = "stale"
    NOT_FINITE = "not_finite"
    WRONG_WIDTH = "wrong_width"
    TOO_FAR = "too_far"
    BEYOND_POSITION = "beyond_position"
    BEYOND_VELOCITY = "beyond_velocity"
    CLAMP_RATE = "clamp_rate"
    ARM_LOST = "arm_lost"
    LOOP_ERROR = "loop_error"

    @property
    def sentence(self) -> str:
        """The reason in words."""
        return _SENTENCES[self]

    @property
    def is_fault(self) -> bool:
        """Whether something is wrong, and not only ended: the arm must be recovered before it may start again."""
        return self not in (StopReason.BUTTON, StopReason.DEAD_MAN, StopReason.STALE)


_SENTENCES = {
    StopReason.BUTTON: "Stopped by a person.",
    StopReason.DEAD_MAN: "The controlling page was lost: no heartbeat for half a second.",
    StopReason.STALE: "No fresh actions for five seconds.",
    StopReason.NOT_FINITE: "The policy returned a value that is not finite or far out of range.",
    StopReason.WRONG_WIDTH: "The policy returned rows that do not have eight values.",
    StopReason.TOO_FAR: "The target is more than 0.6 rad from the arm's position.",
    StopReason.BEYOND_POSITION: "The arm is beyond a joint's position limit.",
    StopReason.BEYOND_VELOCITY: "The arm moves faster than a joint's velocity limit.",
    StopReason.CLAMP_RATE: "More than a tenth of the last two seconds' joint targets had to be clamped, or more than "
    "half in their acceleration.",
    StopReason.ARM_LOST: "The arm does not respond.",
    StopReason.LOOP_ERROR: "The control loop failed; see the log for details.",
}
