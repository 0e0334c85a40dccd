"""Cameras: simulated, connected, recorded. The loop knows only `Cameras`."""

from __future__ import annotations

from typing import Protocol

from robot.faults import CameraLost
from robot.observation import Views


class Cameras(Protocol):
    """Three named views. They are captured on threads of their own; reading never waits."""

    def views(self) -> Views:
        """The newest three pictures. Raises CameraLost when one of them is older than a second."""
        ...

    def close(self) -> None:
        """Let go of the cameras."""
        ...


class AbsentCameras:
    """Where pictures cannot be had.

    Args:
        why: said to whoever asks.
    """

    def __init__(self, why: str) -> None:
        self._why = why

    def views(self) -> Views:
        """Raises CameraLost."""
        raise CameraLost(self._why)

    def close(self) -> None:
        """There is nothing to let go of."""
