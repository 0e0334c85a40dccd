"""Grippers, which are never on the thread that moves the arm, and what they are told of a policy's number."""

from __future__ import annotations

from typing import Literal

Closing = Literal["binary", "hysteresis", "continuous"]
"""binary closes above 0.5, as NVIDIA's RoboLab client does; hysteresis closes above 0.6 and opens below 0.4; continuous
passes the number on, as DROID recorded it."""

_CLOSE_ABOVE, _OPEN_BELOW = 0.6, 0.4


def close_or_open(value: float, last: float, closing: Closing) -> float:
    """What to tell the gripper, 0 open to 1 closed.

    Args:
        value: what the policy wants.
        last: what the gripper was told before, or where it is.
    """
    if closing == "continuous":
        return min(1.0, max(0.0, value))
    if closing == "hysteresis" and _OPEN_BELOW <= value <= _CLOSE_ABOVE:
        return 1.0 if last > 0.5 else 0.0
    return 1.0 if value > 0.5 else 0.0
