"""Arms: simulated, a Franka, a recorded one. The loop knows only `Arm`."""

from robot.arms.arm import Arm, ArmModel

__all__ = ["Arm", "ArmModel"]
