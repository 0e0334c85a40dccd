"""Arms: simulated, a Franka, a recorded one. The loop knows only `Arm`."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from robot.observation import ArmState
from robot.safety import ArmModel


class Arm(Protocol):
    """A seven-joint arm with a gripper. No method blocks longer than a tick, unless it says so.

    Targets come from the safety filter and from nobody else.
    """

    @property
    def model(self) -> ArmModel:
        """The connected model."""
        ...

    def state(self) -> ArmState:
        """The newest measurement. Raises ArmLost when there is none that is fresh."""
        ...

    def set_target(self, joint_positions: NDArray[np.float64], gripper_position: float) -> None:
        """Go there, starting now.

        Args:
            joint_positions: float64 [7], rad, within every limit.
            gripper_position: 0 open to 1 closed.
        """
        ...

    def hold(self) -> None:
        """Come to rest and stay there; the next target moves it again."""
        ...

    def stop(self) -> None:
        """Stop at once; only `recover` makes it take targets again."""
        ...

    def recover(self) -> None:
        """Clear faults after a person said so. May block for seconds. Raises ArmLost."""
        ...

    def home(self) -> None:
        """Move slowly to the start pose. Blocks until there. Raises ArmLost."""
        ...

    def close(self) -> None:
        """Let go of the arm."""
        ...
