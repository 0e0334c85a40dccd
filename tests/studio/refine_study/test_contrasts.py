"""What can be said of pairs, and that its intervals are as wide as they say."""

import numpy as np
import pytest

from studio.refine_study.report import contrast, sign_chance


def said(values: list[float], others: list[float]):
    return contrast("kept", "first", "score", values, others)


def test_what_is_better_everywhere_is_better_and_turned_around_it_is_worse():
    low, high = [5.0 + index % 3 for index in range(12)], [6.5 + index % 3 for index in range(12)]

    better, worse = said(high, low), said(low, high)

    assert (better.verdict, better.wins, better.ties, better.losses, better.difference) == ("better", 12, 0, 0, 1.5)
    assert (worse.verdict, worse.losses, worse.difference) == ("worse", 12, -1.5)


def test_three_wins_among_many_ties_are_not_enough_though_the_bootstrap_would_say_so():
    wins = [1.0] * 4 + [0.0] * 16

    found = said(wins, [0.0] * 20)

    assert found.low > 0
    assert found.chance == 0.125
    assert found.verdict == "no difference shown"


def test_of_nine_prompts_nothing_is_said():
    assert said([1.0] * 9, [0.0] * 9).verdict == "too few prompts"


@pytest.mark.parametrize(("wins", "losses", "chance"), [(0, 0, 1.0), (5, 0, 2 / 32), (8, 2, 112 / 1024), (3, 3, 1.0)])
def test_the_sign_test_is_a_fair_coins(wins: int, losses: int, chance: float):
    assert sign_chance(wins, losses) == pytest.approx(chance)


def test_nineteen_of_twenty_intervals_hold_the_truth():
    generator = np.random.default_rng(1)
    held = 0
    for _ in range(200):
        first = generator.normal(5, 2, 40)
        kept = first + generator.normal(0.7, 1.5, 40)
        found = said(kept.tolist(), first.tolist())
        held += found.low <= 0.7 <= found.high
    assert held >= 180
