"""How much of what a policy wants has to be clamped."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from robot.observation import NUM_JOINTS, ROWS_PER_SECOND

WINDOW_TICKS = 2 * ROWS_PER_SECOND
MAX_RATE = 0.1
"""An FR3's limits clamp no tick of a recorded DROID episode, a Panda's 3 %: at a tenth, policy and arm do not fit."""


MAX_ACCELERATION_RATE = 0.5
"""Of targets that ask for more acceleration than there is: the scripted policy's chunks, which begin abruptly, come to
a tenth, and targets that alternate on all joints to all of them."""


class ClampRate:
    """The share of joint targets that were clamped over the last two seconds; what has not been played counts as free.

    21 of the 30 × 7 are a tenth, and the 22nd is too many.
    """

    def __init__(self, max_rate: float = MAX_RATE) -> None:
        self._counts: deque[int] = deque(maxlen=WINDOW_TICKS)
        self._max_rate = max_rate

    def add(self, joints: NDArray[np.bool_]) -> None:
        """One tick's clamped joints, bool [7]."""
        self._counts.append(int(np.count_nonzero(joints)))

    def clear(self) -> None:
        """Forget: a new epoch begins."""
        self._counts.clear()

    @property
    def rate(self) -> float:
        """Between 0 and 1."""
        return sum(self._counts) / (WINDOW_TICKS * NUM_JOINTS)

    @property
    def exceeded(self) -> bool:
        """Whether the arm must stop."""
        return self.rate > self._max_rate
