"""Moments that are worth learning from come more often, and none is left out."""

import numpy as np
import pytest

from pocket.world.episode import POLICY_ROWS, Robot
from pocket.world.moments import AT_REST_RAD, telling_shares

NUM_TICKS = 100
GOES_UNTIL = 40


def one_joint_turns() -> Robot:
    """From tick 0 to 40 by 0.02 rad a tick, and then rests."""
    joints = np.zeros((NUM_TICKS, 7), np.float32)
    joints[:, 2] = 0.02 * np.arange(NUM_TICKS).clip(max=GOES_UNTIL)
    expert = np.concatenate([joints, np.zeros((NUM_TICKS, 1), np.float32)], 1)
    nowhere = np.zeros((NUM_TICKS, 3), np.float32)
    return Robot(
        joint_positions=joints,
        joint_velocities=np.zeros_like(joints),
        gripper=expert[:, 7],
        hand_positions=nowhere,
        hand_axes=np.tile(np.eye(3, dtype=np.float32), (NUM_TICKS, 1, 1)),
        targets=expert,
        expert=expert,
        chunk_starts=np.arange(NUM_TICKS - POLICY_ROWS),
    )


def test_a_moment_counts_by_how_far_its_chunk_leads():
    far, less, rests = telling_shares(one_joint_turns(), [0, 20, 60])

    assert far + less + rests == pytest.approx(1)
    leads = [0.02 * (POLICY_ROWS - 1), 0.02 * (GOES_UNTIL - 20), 0.0]
    assert [far, less, rests] == pytest.approx([(way + AT_REST_RAD) / (sum(leads) + 3 * AT_REST_RAD) for way in leads])


def test_of_a_run_at_rest_every_moment_is_as_good():
    np.testing.assert_allclose(telling_shares(one_joint_turns(), [50, 55, 60, 65]), 0.25)
