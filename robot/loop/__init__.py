"""The loop at 15 Hz and the session that it keeps. `bridge` builds it; everything else only listens to its ticks."""

from robot.loop.dead_man import DeadMan
from robot.loop.eyes import Eyes
from robot.loop.loop import Loop
from robot.loop.session import Session

__all__ = ["DeadMan", "Eyes", "Loop", "Session"]
