"""Which moments of a policy's run are worth learning from: those from which the arm has a way to go."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pocket.world.episode import POLICY_ROWS, Robot
from robot.observation import NUM_JOINTS

AT_REST_RAD = 0.02
"""What a moment counts as going at least, so that staying where it is is learnt too."""


def telling_shares(robot: Robot, starts: Sequence[int]) -> NDArray[np.float64]:
    """How often each of some moments is to be drawn, 1 in all: as the chunk that begins there leads far, in rad.

    A policy that learns from all moments alike mostly sees an arm at rest, or one whose joints give away where it goes.
    From home, where only pictures tell, such a one led 12 cm past the thing (median of 14 runs), 0.4 s later 3 cm.
    """
    first = np.asarray(starts, np.int64)
    ends = robot.expert[first + POLICY_ROWS - 1, :NUM_JOINTS]
    goes = np.linalg.norm(ends - robot.joint_positions[first], axis=1).astype(np.float64)
    shares = goes + AT_REST_RAD
    return shares / shares.sum()
