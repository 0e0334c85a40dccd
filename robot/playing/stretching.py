"""Rows at another speed: time is stretched, so that nothing has to be clipped."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def stretch(rows: NDArray[np.float64], start: float, speed: float, origin: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where to be at the end of each tick that is left, float64 [ticks, 8].

    Row i is meant for the moment i + 1 of the chunk's own time, and the origin for its moment 0. At a speed of 1 from
    moment 2 these are the rows from the third on; at 0.5 from moment 0 they are half-way from the origin to the first
    row, the first row, half-way to the second, and so on.

    Args:
        rows: float64 [n, 8].
        start: the moment that has been reached, in rows.
        speed: rows a tick, above 0 and at most 1.
        origin: float64 [8], where the arm was told to be at moment 0.
    """
    assert 0 < speed <= 1
    num_ticks = int((len(rows) - start) / speed + 1e-9)
    if num_ticks < 1:
        return np.empty((0, rows.shape[1]))
    moments = start + speed * np.arange(1, num_ticks + 1)
    points = np.vstack([origin, rows])
    before = np.minimum(np.floor(moments + 1e-9).astype(np.intp), len(rows))
    after = np.minimum(before + 1, len(rows))
    share = np.maximum(moments - before, 0.0)[:, None]
    share[share < 1e-9] = 0.0
    return points[before] + share * (points[after] - points[before])
