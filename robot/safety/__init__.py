"""What stands between a policy and an arm: pure functions over numpy. It knows no hardware; everybody may call it."""

from robot.safety.filter import ClampRate, Clamps, Course, Executed, check_rows, filter_target
from robot.safety.limits import HOME, LIMITS, ArmModel, JointLimits
from robot.safety.steps import largest_step, velocity_limits

__all__ = [
    "HOME",
    "LIMITS",
    "ArmModel",
    "ClampRate",
    "Clamps",
    "Course",
    "Executed",
    "JointLimits",
    "check_rows",
    "filter_target",
    "largest_step",
    "velocity_limits",
]
