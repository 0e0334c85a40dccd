"""What a gripper's thread needs of a gripper. Its calls may take as long as the fingers do."""

from __future__ import annotations

from typing import Protocol


class GripperDriver(Protocol):
    """0 is open, 1 closed. Every method may block, and raises ArmLost when the gripper does not answer."""

    def read(self) -> float:
        """Where the fingers are."""
        ...

    def go(self, position: float) -> None:
        """Move the fingers there."""
        ...

    def close(self) -> None:
        """Let go of the connection."""
        ...
