"""What the joints of a Franka may do, by model, from its maker's tables.

Source: Franka Robotics, "Robot specifications: limits for the Franka Research 3" (system 5.9.0 and later) and "limits
for the Panda (FER)", frankarobotics.github.io/docs. A Panda's joint 6 goes down to -0.0175 rad where an FR3's ends at
0.44: what one arm recorded, the other may have to refuse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

ArmModel = Literal["fr3", "panda"]
"""Which table of limits holds."""

SOFT_MARGIN_RAD = 0.1
"""How far inside its narrowest published limits an arm is kept (DROID, `droid/franka/robot.py`, keeps the same)."""


@dataclass(frozen=True)
class Braking:
    """Franka's FR3 slows down before a joint's end: v ≤ -offset + sqrt(2 × deceleration × distance).

    Attributes:
        offset: float64 [7], rad/s.
        deceleration: float64 [7], rad/s².
    """

    offset: NDArray[np.float64]
    deceleration: NDArray[np.float64]


@dataclass(frozen=True)
class JointLimits:
    """One model's limits, all float64 [7].

    Attributes:
        position_min, position_max: rad; the arm itself stops there.
        soft_min, soft_max: rad; no target goes further.
        velocity: rad/s.
        acceleration: rad/s².
        jerk: rad/s³.
        braking: where the velocity also depends on the position.
    """

    position_min: NDArray[np.float64]
    position_max: NDArray[np.float64]
    soft_min: NDArray[np.float64]
    soft_max: NDArray[np.float64]
    velocity: NDArray[np.float64]
    acceleration: NDArray[np.float64]
    jerk: NDArray[np.float64]
    braking: Braking | None = None


def _joints(values: Sequence[float]) -> NDArray[np.float64]:
    array = np.array(values, np.float64)
    assert array.shape == (7,)
    array.flags.writeable = False
    return array


# What Franka's franka_description and systems before 5.9 state: nowhere wider than today's table.
_OLDER_FR3_MIN = [-2.7437, -1.7837, -2.9007, -3.0421, -2.8065, 0.5445, -3.0159]
_OLDER_FR3_MAX = [2.7437, 1.7837, 2.9007, -0.1518, 2.8065, 4.5169, 3.0159]

_FR3_MIN = [-2.9007, -1.8361, -2.9007, -3.0770, -2.8763, 0.4398, -3.0508]
_FR3_MAX = [2.9007, 1.8361, 2.9007, -0.1169, 2.8763, 4.6216, 3.0508]
_PANDA_MIN = [-2.8973, -1.7628, -2.8973, -3.0718, -2.8973, -0.0175, -2.8973]
_PANDA_MAX = [2.8973, 1.7628, 2.8973, -0.0698, 2.8973, 3.7525, 2.8973]

LIMITS: dict[ArmModel, JointLimits] = {
    "fr3": JointLimits(
        position_min=_joints(_FR3_MIN),
        position_max=_joints(_FR3_MAX),
        soft_min=_joints([low + SOFT_MARGIN_RAD for low in _OLDER_FR3_MIN]),
        soft_max=_joints([high - SOFT_MARGIN_RAD for high in _OLDER_FR3_MAX]),
        velocity=_joints([2.62, 2.62, 2.62, 2.62, 5.26, 4.18, 5.26]),
        acceleration=_joints([10.0] * 7),
        jerk=_joints([5000.0] * 7),
        braking=Braking(
            offset=_joints([0.6599, 0.2517, 0.2, 0.3533, 0.5757, 0.4878, 0.4628]),
            deceleration=_joints([6.0, 2.585, 3.5, 4.0, 17.0, 5.5, 17.0]),
        ),
    ),
    "panda": JointLimits(
        position_min=_joints(_PANDA_MIN),
        position_max=_joints(_PANDA_MAX),
        soft_min=_joints([low + SOFT_MARGIN_RAD for low in _PANDA_MIN]),
        soft_max=_joints([high - SOFT_MARGIN_RAD for high in _PANDA_MAX]),
        velocity=_joints([2.175, 2.175, 2.175, 2.175, 2.61, 2.61, 2.61]),
        acceleration=_joints([15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0]),
        jerk=_joints([7500.0, 3750.0, 5000.0, 6250.0, 7500.0, 10000.0, 10000.0]),
    ),
}

HOME = _joints([0.0, -np.pi / 5, 0.0, -4 * np.pi / 5, 0.0, 3 * np.pi / 5, 0.0])
"""The pose that DROID's episodes begin at, rad (`droid/robot_env.py`, `reset_joints`)."""
