"""Coming to rest when there is nothing more to play."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from robot.observation import NUM_JOINTS
from robot.safety import Course

DECAY = 0.5
"""Of the velocity, each tick: 6 % is left after 4 ticks, 0.27 s. Altogether the target moves on by one more step."""


def coast(course: Course) -> NDArray[np.float64]:
    """The row after the last two executed ones, float64 [8]: half as fast, the gripper as it is.

    From steps of 0.1 rad the next ones are 0.05, 0.025, 0.0125.
    """
    row = course.last.copy()
    row[:NUM_JOINTS] += DECAY * course.step
    return row
