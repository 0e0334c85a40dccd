"""The way from where an arm is to where a recorded episode begins."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from robot.observation import NUM_JOINTS, ROWS_PER_SECOND

SPEED_RAD_S = 0.4
"""Of the joint that has the longest way; slower than a hand is withdrawn."""


def approach(start: NDArray[np.float64], rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rows with a straight way to their first one before them, float64 [m + n, 8].

    Args:
        start: float64 [8], where the arm is.
        rows: float64 [n, 8].
    """
    way = rows[0] - start
    num_steps = int(np.ceil(np.abs(way[:NUM_JOINTS]).max() * ROWS_PER_SECOND / SPEED_RAD_S))
    shares = np.arange(1, num_steps) / max(num_steps, 1)
    return np.vstack([start + shares[:, None] * way, rows])
