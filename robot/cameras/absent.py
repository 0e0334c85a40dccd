"""No cameras, and why."""

from __future__ import annotations

from robot.faults import CameraLost
from robot.observation import Views


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
