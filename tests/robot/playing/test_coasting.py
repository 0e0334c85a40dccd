import numpy as np
import pytest

from robot.playing import coast


def test_an_arm_that_coasts_is_at_rest_within_a_third_of_a_second():
    before, last = np.zeros(8), np.full(8, 0.1)
    steps: list[float] = []
    for _ in range(5):
        row = coast(before, last)
        steps.append(row[0] - last[0])
        before, last = last, row

    assert steps[:3] == pytest.approx([0.05, 0.025, 0.0125])
    assert steps[-1] < 0.005
    assert last[0] < 0.2
    assert last[7] == 0.1
