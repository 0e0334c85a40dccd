"""How long a job still takes."""

from backend.jobs.eta import Pace


def test_nothing_is_promised_before_two_reports():
    assert Pace().seconds_left(1, 20, now=10.0) is None


def test_an_even_pace_is_told_exactly():
    pace = Pace()
    for step in range(1, 6):
        left = pace.seconds_left(step, 20, now=100 + 0.5 * step)

    assert left == 7.5


def test_several_steps_in_one_report_count_as_several():
    pace = Pace()
    pace.seconds_left(2, 20, now=0.0)

    assert pace.seconds_left(6, 20, now=2.0) == 7.0


def test_a_slower_step_raises_the_estimate_gently():
    pace = Pace()
    pace.seconds_left(1, 11, now=0.0)
    pace.seconds_left(2, 11, now=1.0)

    assert pace.seconds_left(3, 11, now=4.0) == (1.0 + 0.2 * 2.0) * 8


def test_a_pause_is_no_slow_step():
    pace = Pace()
    pace.seconds_left(1, 11, now=0.0)
    pace.seconds_left(2, 11, now=1.0)

    pace.rest()

    assert pace.seconds_left(2, 11, now=600.0) == 9.0
    assert pace.seconds_left(3, 11, now=601.0) == 8.0
