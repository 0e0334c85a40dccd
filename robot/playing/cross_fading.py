"""From an old chunk's rows to a new one's without a jump."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from robot.observation import NUM_JOINTS


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
