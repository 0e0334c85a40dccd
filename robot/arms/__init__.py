"""Arms: simulated, a Franka, a recorded one. The loop knows only `Arm`."""

from robot.arms.arm import Arm

__all__ = ["Arm"]
