"""The loop at 15 Hz and the session that it keeps. `bridge` builds it; everything else only listens to its ticks."""

from robot.loop.loop import DeadMan, Loop
from robot.loop.sensors import Sensors
from robot.loop.session import Session

__all__ = ["DeadMan", "Loop", "Sensors", "Session"]
