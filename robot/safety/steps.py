"""How far a joint may move in one tick: by its velocity where it is, and by how fast that may change.

Franka's tables bound jerk, too, at 3,750 rad/s³ and more. At 15 rows a second an acceleration that turns from its limit
to the opposite one is a jerk of 2 × 20 rad/s² × 15/s = 600 rad/s³ at most: whoever keeps to the acceleration keeps to
the jerk (`tests/robot/safety/test_steps.py` holds every model's table to that).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from robot.safety.limits import Braking, JointLimits


def velocity_limits(
    limits: JointLimits, positions: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The fastest motion down and up, as positive rad/s, float64 [7] each.

    On an FR3 (Franka, "limits for the Franka Research 3") upwards
    ``min(velocity, max(0, -offset + sqrt(2 × deceleration × (position_max - q))))``, and mirrored downwards.
    """
    if limits.braking is None:
        return limits.velocity, limits.velocity
    below, above = positions - limits.position_min, limits.position_max - positions
    return _braked(limits, limits.braking, below), _braked(limits, limits.braking, above)


def largest_step(
    limits: JointLimits, positions: NDArray[np.float64], period_s: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The longest steps down and up within one period whose velocity is allowed at both of their ends, rad, [7] each.

    At the far end the distance left is D - s, so s = period × (-offset + sqrt(2 × deceleration × (D - s))), which is a
    quadratic in s. On an FR3's joint 1 at 2.6 rad (D = 0.3007, 1/15 s) the velocity there would allow 83 mrad upwards,
    and 68 mrad are such that the velocity at the end of the step is allowed as well.
    """
    down, up = velocity_limits(limits, positions)
    down, up = down * period_s, up * period_s
    if limits.braking is None:
        return down, up
    below, above = positions - limits.position_min, limits.position_max - positions
    return (
        np.minimum(down, _step_to_braked_end(limits.braking, below, period_s)),
        np.minimum(up, _step_to_braked_end(limits.braking, above, period_s)),
    )


def _braked(limits: JointLimits, braking: Braking, distance: NDArray[np.float64]) -> NDArray[np.float64]:
    reach = np.sqrt(2 * braking.deceleration * np.maximum(distance, 0.0))
    return np.minimum(limits.velocity, np.maximum(0.0, reach - braking.offset))


def _step_to_braked_end(braking: Braking, distance: NDArray[np.float64], period_s: float) -> NDArray[np.float64]:
    rate = 1 / period_s
    linear = 2 * rate * braking.offset + 2 * braking.deceleration
    constant = braking.offset**2 - 2 * braking.deceleration * np.maximum(distance, 0.0)
    root = np.sqrt(np.maximum(linear**2 - 4 * rate**2 * constant, 0.0))
    return np.where(constant < 0, np.maximum((root - linear) / (2 * rate**2), 0.0), 0.0)


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
