"""What an arm was told until now: from where, and how fast, the next row goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from robot.observation import NUM_JOINTS


@dataclass(frozen=True)
class Course:
    """The last two executed rows; the same row twice is an arm at rest.

    Attributes:
        before, last: float64 [8], executed.
        wanted: float64 [8], what `last` was executed for.
    """

    before: NDArray[np.float64]
    last: NDArray[np.float64]
    wanted: NDArray[np.float64]

    @classmethod
    def at_rest(cls, row: NDArray[np.float64]) -> Self:
        """At a row, float64 [8]."""
        return cls(row, row, row)

    def then(self, wanted: NDArray[np.float64], row: NDArray[np.float64]) -> Course:
        """One row further."""
        return Course(self.last, row, wanted)

    @property
    def step(self) -> NDArray[np.float64]:
        """The joints' last step, rad, float64 [7]."""
        return (self.last - self.before)[:NUM_JOINTS]
