"""Rows of a chunk, made fit to be played: stretched in time, faded into, approached, and coasted out of."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from robot.observation import NUM_JOINTS, ROWS_PER_SECOND
from robot.safety import Course

DECAY = 0.5
"""Of a coasting arm's velocity, each tick: 6 % is left after 4 ticks, 0.27 s. Altogether the target moves on by one
more step."""

APPROACH_RAD_S = 0.4
"""Of the joint that has the longest way to a recorded episode's beginning; slower than a hand is withdrawn."""


def stretch(rows: NDArray[np.float64], start: float, speed: float, origin: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows at another speed: where to be at the end of each tick that is left, float64 [ticks, 8].

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


def cross_fade(
    old: NDArray[np.float64], new: NDArray[np.float64], resting: NDArray[np.float64], num_ticks: int
) -> NDArray[np.float64]:
    """The new rows, their first ones' joints drawn towards the old; the gripper is the new one's at once.

    With 4 ticks the new rows weigh 1/5, 2/5, 3/5, 4/5 and then everything. Where the old ones end, their last counts
    on; where there are none, the row at which the arm rests.

    Args:
        old: float64 [m, 8], what would have been played from now on.
        new: float64 [n, 8].
        resting: float64 [8].
        num_ticks: how many rows are mixed; 0 mixes none.
    """
    faded = new.copy()
    for index in range(min(num_ticks, len(new))):
        weight = (index + 1) / (num_ticks + 1)
        behind = old[min(index, len(old) - 1)] if len(old) else resting
        faded[index, :NUM_JOINTS] = (1 - weight) * behind[:NUM_JOINTS] + weight * new[index, :NUM_JOINTS]
    return faded


def coast(course: Course) -> NDArray[np.float64]:
    """The row after the last two executed ones, float64 [8]: half as fast, the gripper as it is.

    From steps of 0.1 rad the next ones are 0.05, 0.025, 0.0125.
    """
    row = course.last.copy()
    row[:NUM_JOINTS] += DECAY * course.step
    return row


def approach(start: NDArray[np.float64], rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rows with a straight way to their first one before them, float64 [m + n, 8].

    Args:
        start: float64 [8], where the arm is.
        rows: float64 [n, 8].
    """
    way = rows[0] - start
    num_steps = int(np.ceil(np.abs(way[:NUM_JOINTS]).max() * ROWS_PER_SECOND / APPROACH_RAD_S))
    shares = np.arange(1, num_steps) / max(num_steps, 1)
    return np.vstack([start + shares[:, None] * way, rows])
