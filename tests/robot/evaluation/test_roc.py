import pytest

from robot.evaluation.divergence import summed_up
from robot.evaluation.roc import area, curve, num_holds, score


def test_a_run_scores_what_it_stays_beyond_for_so_many_ticks():
    assert score([0.1, 0.9, 0.8, 0.2], 2) == 0.8
    assert score([0.1, 0.9, 0.8, 0.2], 4) == 0.1
    assert score([0.9, None, 0.9], 2) == 0.0
    assert score([0.9], 2) == 0.0


def test_holds_are_counted_as_the_loop_counts_them():
    assert num_holds([0.9, 0.9, 0.9, 0.9, 0.1], 0.5, 2) == 2
    assert num_holds([0.9, None, 0.9, 0.9], 0.5, 2) == 1
    assert num_holds([0.5, 0.5], 0.5, 2) == 0


def test_the_area_is_one_where_every_disturbed_run_scores_more():
    assert area([0.8, 0.9], [0.1, 0.2]) == 1
    assert area([0.1], [0.1]) == 0.5
    assert area([0.1, 0.3], [0.2]) == 0.5


def test_the_curve_rises_from_nothing_to_everything_as_the_limit_falls():
    points = curve([[0.9] * 30, [0.4] * 30], [[0.5] * 30, [0.1] * 30], 2)

    assert [(point.true_share, point.false_share) for point in points] == [
        (0.0, 0.0),
        (0.5, 0.0),
        (0.5, 0.5),
        (1.0, 0.5),
        (1.0, 1.0),
    ]
    assert points[0].false_per_minute == 0
    assert points[-1].false_per_minute == pytest.approx(30 / (60 / 15 / 60))


def test_disturbances_are_told_apart():
    calm, wild = [0.1] * 10, [0.9] * 10
    found = summed_up([("none", calm), ("camera", wild), ("none", calm), ("gripper", calm)], 0.5, 2)

    assert found["areas"] == {"camera": 1.0, "gripper": 0.5}
    assert (found["detected"], found["false_alarms"]) == (1, 0)
    assert summed_up([("none", calm)], 0.5, 2) == {}
