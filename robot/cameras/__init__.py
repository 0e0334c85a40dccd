"""Cameras: simulated, connected, recorded. The loop knows only `Cameras`."""

from robot.cameras.cameras import Cameras

__all__ = ["Cameras"]
