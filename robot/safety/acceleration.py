"""How much faster or slower a joint may get from one tick to the next, and how far it goes until it rests.

Franka's tables bound jerk, too, at 3,750 rad/s³ and more. At 15 rows a second an acceleration that turns from its limit
to the opposite one is a jerk of 2 × 20 rad/s² × 15/s = 600 rad/s³ at most: whoever keeps to the acceleration keeps to
the jerk (`tests/robot/safety/test_acceleration.py` holds every model's table to that).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from robot.safety.limits import JointLimits


def largest_change(limits: JointLimits, period_s: float) -> NDArray[np.float64]:
    """By how much two steps in a row may differ, rad, float64 [7]: 44 mrad at 10 rad/s² and 15 rows a second."""
    return limits.acceleration * period_s**2


def braking_step(distance: NDArray[np.float64], change: NDArray[np.float64]) -> NDArray[np.float64]:
    """The longest next step after which rest can still be reached within a distance, rad, float64 [7], signed.

    Each step after it is shorter by the change: s + (s - c) + (s - 2c) + … = distance, over the n steps that are left
    above 0, so s = (distance + c n (n - 1) / 2) / n. With c = 1, a distance of 0.8 is one step of 0.8, and a distance
    of 6 is 3 + 2 + 1.
    """
    way = np.abs(distance)
    num_steps = np.maximum(np.ceil((np.sqrt(1 + 8 * way / change) - 1) / 2 - 1e-9), 1)
    return np.sign(distance) * (way + change * num_steps * (num_steps - 1) / 2) / num_steps
