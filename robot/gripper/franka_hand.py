"""Franka's own hand, through franky. Its calls take as long as the fingers do."""

from __future__ import annotations

from typing import Any

from robot.faults import ArmLost

SPEED_M_S = 0.1
FORCE_N = 20.0
_WIDE_OPEN_EPSILON_M = 1.0
"""A grasp counts whatever the width at which the fingers meet something."""


class FrankaHand:
    """A GripperDriver.

    Args:
        gripper: a connected `franky.Gripper`.
        errors: what its calls raise.
    """

    def __init__(self, gripper: Any, errors: tuple[type[Exception], ...]) -> None:
        self._gripper = gripper
        self._errors = errors

    def read(self) -> float:
        """1 - width / widest, as DROID has it."""
        try:
            return min(1.0, max(0.0, 1.0 - float(self._gripper.width) / float(self._gripper.max_width)))
        except self._errors as error:
            raise ArmLost(f"The hand reports: {error}") from None

    def go(self, position: float) -> None:
        """Fully closed is a grasp that keeps its force; everything else a width."""
        try:
            if position >= 1.0:
                self._gripper.grasp(0.0, SPEED_M_S, FORCE_N, _WIDE_OPEN_EPSILON_M, _WIDE_OPEN_EPSILON_M)
            else:
                self._gripper.move(float(self._gripper.max_width) * (1.0 - position), SPEED_M_S)
        except self._errors as error:
            raise ArmLost(f"The hand reports: {error}") from None

    def close(self) -> None:
        """It closes with its robot."""
