import math

import pytest

from pocket.report.exam import estimate, interval


def test_a_rate_has_wilsons_interval():
    low, high = interval([1.0] * 7 + [0.0] * 3, "rate")

    assert (round(low, 2), round(high, 2)) == (0.40, 0.89)


@pytest.mark.parametrize("kind", ["mean", "median"])
def test_a_mean_is_within_its_interval_which_is_always_the_same_and_narrows(kind):
    few, many = [0.1, 0.5, 0.9, 0.4], [0.1, 0.5, 0.9, 0.4] * 25

    low, high = interval(few, kind)
    assert low < estimate(few, kind) < high
    assert interval(few, kind) == (low, high)
    narrow = interval(many, kind)
    assert narrow[1] - narrow[0] < high - low


def test_nothing_measured_is_no_number():
    assert math.isnan(estimate([], "mean"))
    assert all(math.isnan(end) for end in interval([], "rate"))
