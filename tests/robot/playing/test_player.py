import numpy as np
import pytest

from robot.chunk import ActionChunk
from robot.playing import Player, Splice

REST = np.zeros(8)


def ramp(tick: int, num_rows: int = 32, start: float = 0.0, epoch: int = 0) -> ActionChunk:
    """Row i holds start + i + 1 in every joint."""
    rows = np.repeat(start + np.arange(1.0, num_rows + 1)[:, None], 8, axis=1)
    return ActionChunk(tick, epoch, 0.0, 0.0, rows)


def take(player: Player, chunk: ActionChunk, resting: np.ndarray) -> Splice | None:
    """At a moment that does not matter, with all the time in the world."""
    return player.splice(chunk, resting, now_s=0.0, until_s=np.inf)


def play(player: Player, num_rows: int) -> list[float]:
    rows = [player.next_row() for _ in range(num_rows)]
    return [row[0] for row in rows if row is not None]


def test_a_chunk_that_comes_at_once_is_played_from_its_first_row():
    player = Player(fade_ticks=0)
    player.mark(7)

    splice = take(player, ramp(7), REST)

    assert splice is not None
    assert splice.skipped_rows == 0
    assert play(player, 3) == [1, 2, 3]


def test_rows_that_were_overtaken_are_skipped():
    player = Player(fade_ticks=0)
    player.mark(0)
    take(player, ramp(0), REST)
    play(player, 5)
    player.mark(5)
    play(player, 6)

    splice = take(player, ramp(5, start=100), REST)

    assert splice is not None
    assert splice.skipped_rows == 6
    assert play(player, 1) == [107]


def test_while_nothing_is_played_no_row_is_overtaken():
    player = Player(fade_ticks=0)
    player.mark(0)
    take(player, ramp(0, num_rows=4), REST)
    play(player, 2)
    player.mark(2)
    assert play(player, 2) == [3, 4]
    assert player.next_row() is None
    assert player.next_row() is None

    splice = take(player, ramp(2, start=10), REST)

    assert splice is not None
    assert splice.skipped_rows == 2
    assert play(player, 1) == [13]


def test_a_chunk_all_of_whose_rows_were_overtaken_is_dropped():
    player = Player(fade_ticks=0)
    player.mark(0)
    take(player, ramp(0), REST)
    player.mark(1)
    play(player, 8)

    assert take(player, ramp(1, num_rows=8, start=50), REST) is None
    assert play(player, 1) == [9]


def test_a_chunk_of_an_unknown_observation_is_dropped():
    player = Player()

    assert take(player, ramp(3), REST) is None


def test_no_chunk_is_taken_twice_and_none_before_a_newer_one():
    player = Player(fade_ticks=0)
    player.mark(0)
    player.mark(1)
    take(player, ramp(1, start=100), REST)

    assert take(player, ramp(1), REST) is None
    assert take(player, ramp(0), REST) is None


def test_joints_fade_over_and_the_gripper_does_not():
    player = Player(fade_ticks=4)
    player.mark(0)
    take(player, ActionChunk(0, 0, 0.0, 0.0, np.zeros((32, 8))), REST)
    play(player, 3)
    player.mark(3)

    splice = take(player, ActionChunk(3, 0, 0.0, 0.0, np.ones((32, 8))), REST)

    assert splice is not None
    assert splice.jump_rad == 1
    rows = player.coming[:6]
    np.testing.assert_allclose(rows[:, 0], [0.2, 0.4, 0.6, 0.8, 1, 1])
    np.testing.assert_allclose(rows[:, 7], 1)


def test_after_a_pause_the_fade_begins_where_the_arm_rests():
    player = Player(fade_ticks=4)
    player.mark(0)

    splice = take(player, ActionChunk(0, 0, 0.0, 0.0, np.ones((32, 8))), np.full(8, 0.5))

    assert splice is not None
    assert splice.jump_rad == 0.5
    np.testing.assert_allclose(player.coming[:5, 0], [0.6, 0.7, 0.8, 0.9, 1.0])


def test_a_second_chunk_in_the_middle_of_a_fade_makes_no_jump():
    player = Player(fade_ticks=4)
    player.mark(0)
    take(player, ActionChunk(0, 0, 0.0, 0.0, np.ones((32, 8))), REST)
    before = play(player, 2)[-1]
    player.mark(2)

    take(player, ActionChunk(2, 0, 0.0, 0.0, np.zeros((32, 8))), REST)

    assert abs(player.coming[0, 0] - before) <= 0.2 + 1e-9


def test_at_half_speed_a_chunk_lasts_twice_as_long_and_begins_where_the_arm_is():
    player = Player(speed=0.5, fade_ticks=0)
    player.mark(0)
    take(player, ramp(0, num_rows=3), REST)

    assert play(player, 10) == pytest.approx([0.5, 1, 1.5, 2, 2.5, 3])
    assert player.played_rows == 3


def test_at_half_speed_rows_are_overtaken_half_as_fast():
    player = Player(speed=0.5, fade_ticks=0)
    player.mark(0)
    take(player, ramp(0), REST)
    player.mark(1)
    play(player, 4)

    splice = take(player, ramp(1, start=100), REST)

    assert splice is not None
    assert splice.skipped_rows == 2
    assert play(player, 2) == pytest.approx([102.5, 103])


@pytest.mark.parametrize("speed", [0.1, 0.3, 0.7, 1.0])
def test_at_any_speed_the_last_row_is_reached_or_nearly_so_and_nothing_after_it(speed: float):
    player = Player(speed=speed, fade_ticks=0)
    player.mark(0)
    take(player, ramp(0, num_rows=32), REST)

    values = play(player, 1000)

    assert 32 - speed < values[-1] <= 32 + 1e-9
    assert np.diff([0, *values]) == pytest.approx(speed)


def test_flushing_forgets_rows_and_questions():
    player = Player()
    player.mark(0)
    take(player, ramp(0), REST)
    player.mark(1)

    player.flush()

    assert player.next_row() is None
    assert take(player, ramp(1), REST) is None
