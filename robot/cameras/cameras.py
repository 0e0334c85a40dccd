"""What the loop needs of the three cameras."""

from __future__ import annotations

from typing import Protocol

from robot.observation import Views


class Cameras(Protocol):
    """Three named views. They are captured on threads of their own; reading never waits."""

    def views(self) -> Views:
        """The newest three pictures. Raises CameraLost when one of them is older than a second."""
        ...

    def close(self) -> None:
        """Let go of the cameras."""
        ...
