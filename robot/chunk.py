"""What a policy answers: rows of actions, one for each fifteenth of a second."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ActionChunk:
    """Rows to play; the first is the target of the observation's own tick: where to be a fifteenth of a second later.

    Attributes:
        tick, epoch: of the observation that it answers.
        observed_at_s, received_at_s: seconds of the monotonic clock.
        rows: float64 [n, 8]: seven absolute joint positions in rad, the gripper 0 open to 1 closed.
        inference_s: what the server says it took; none where it says nothing.
        video: predicted frames, uint8 [T, height, width, 3], where they were asked for.
    """

    tick: int
    epoch: int
    observed_at_s: float
    received_at_s: float
    rows: NDArray[np.float64]
    inference_s: float | None = None
    video: NDArray[np.uint8] | None = None
