"""What a policy answers: rows of actions, one for each fifteenth of a second."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robot.observation import ROWS_PER_SECOND

MAX_ROWS = 32
"""Of a chunk, by the policy's contract (NVIDIA's cosmos-framework, `action_policy_server_robolab.py`). Other policies
foresee more; what lies further ahead is cut off, since the next chunk has taken over by then (a horizon ends at 32)."""

LASTS_S = (MAX_ROWS + 1) / ROWS_PER_SECOND
"""How long a chunk may be played, from when it came: as long as 32 rows last, and a tick until they are noticed."""

STALE_AFTER_S = 5.0
"""What was seen so long ago is of a world that is no more: no answer to it counts, and no row of one is executed."""


@dataclass(frozen=True)
class ActionChunk:
    """Rows to play; the first is the target of the observation's own tick: where to be a fifteenth of a second later.

    Attributes:
        tick, epoch: of the observation that it answers.
        observed_at_s, received_at_s: seconds of the monotonic clock.
        rows: float64 [n, 8]: seven absolute joint positions in rad, the gripper 0 open to 1 closed.
        inference_s: what the server says it took; none where it says nothing.
        foresees: whether predicted frames were asked for; they come on their own, later, or never.
    """

    tick: int
    epoch: int
    observed_at_s: float
    received_at_s: float
    rows: NDArray[np.float64]
    inference_s: float | None = None
    foresees: bool = False

    @property
    def fresh_until_s(self) -> float:
        """The latest moment at which any of its rows may be executed, whatever the speed; of the monotonic clock."""
        return min(self.received_at_s + LASTS_S, self.observed_at_s + STALE_AFTER_S)
