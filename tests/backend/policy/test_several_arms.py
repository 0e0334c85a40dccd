"""Two arms that never let the policy rest, on a real server."""

from pathlib import Path

import pytest

from policy_arms import drive
from running import running

NUM_QUESTIONS = 6


@pytest.mark.slow
def test_two_arms_are_answered_in_turns_and_each_waits_for_the_other(tmp_path: Path):
    with running(tmp_path, ORRERY_POLICY_ARMS="2") as server:
        server.wait_ready()
        arms, order = drive(server, 2, NUM_QUESTIONS)

    assert [len(arm.latencies_s) for arm in arms] == [NUM_QUESTIONS] * 2
    first = 1 - order[-1]  # who had its last answer first
    meanwhile = order[: len(order) - order[::-1].index(first)]
    assert meanwhile.count(1 - first) >= NUM_QUESTIONS - 2, order
    for arm in arms:
        assert arm.percentile_s(50) > 1.2 * min(arm.computed_s)
