import numpy as np
import pytest

from robot.playing import coast
from robot.safety import Course


def test_an_arm_that_coasts_is_at_rest_within_a_third_of_a_second():
    course = Course.at_rest(np.zeros(8)).then(np.full(8, 0.1), np.full(8, 0.1))
    steps: list[float] = []
    for _ in range(5):
        row = coast(course)
        course = course.then(row, row)
        steps.append(course.step[0])

    assert steps[:3] == pytest.approx([0.05, 0.025, 0.0125])
    assert steps[-1] < 0.005
    assert course.last[0] < 0.2
    assert course.last[7] == 0.1
