import pytest

from robot.recording import success_interval


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"), [(7, 10, 0.397, 0.892), (0, 10, 0.0, 0.278), (10, 10, 0.722, 1.0)]
)
def test_wilsons_interval(successes: int, trials: int, low: float, high: float):
    assert success_interval(successes, trials) == pytest.approx((low, high), abs=1e-3)


def test_nothing_tried_says_nothing():
    assert success_interval(0, 0) == (0.0, 1.0)
