import pytest

from robot.playing import Latency, largest_gapless_horizon, should_ask


def test_the_worked_example_of_asking_ahead():
    asked = [played for played in range(32) if should_ask(played, 32 - played, 16, 5)]

    assert asked[0] == 10


def test_answers_that_take_longer_than_the_horizon_are_asked_for_at_once():
    assert should_ask(0, 32, 8, 20)


def test_answers_that_take_longer_than_a_chunk_lasts_are_asked_for_at_its_end():
    assert not should_ask(31, 1, 16, 32)
    assert should_ask(32, 0, 16, 32)


def test_before_anything_was_measured_the_next_chunk_is_asked_for_at_the_end():
    assert not should_ask(20, 12, 16, None)
    assert should_ask(32, 0, 16, None)


def test_a_short_chunk_is_asked_ahead_of_its_end_whatever_the_horizon():
    assert should_ask(2, 6, 32, 5)
    assert not should_ask(2, 7, 32, 5)


def test_latency_is_counted_in_rows_of_the_speed_at_which_they_are_played():
    latency = Latency()
    assert latency.rows() is None
    for _ in range(20):
        latency.add(0.5)

    assert latency.rows() == 8
    assert latency.rows(speed=0.5) == 4


def test_one_slow_answer_among_twenty_is_counted_in():
    latency = Latency()
    for _ in range(19):
        latency.add(0.1)
    latency.add(1.0)

    assert latency.percentile_s(95) == 1.0
    assert latency.percentile_s(50) == pytest.approx(0.1)


def test_the_longest_horizon_without_gaps():
    assert largest_gapless_horizon(1.6) == 8
    assert largest_gapless_horizon(1.066) == 16
    assert largest_gapless_horizon(4.1) == 0
