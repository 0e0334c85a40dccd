"""Bradley–Terry: the fit is that of a published implementation, and its intervals hold what they promise."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from studio.arena.strengths import connected, draw_wins, fit_strengths, prior_wins

PUBLISHED = json.loads((Path(__file__).parent / "choix_fits.json").read_text())
"""Fits of random data by choix 0.4.1 (`ilsr_pairwise`, no prior), which brings scipy and so is not installed here."""


@pytest.mark.parametrize("fit", PUBLISHED["fits"], ids=lambda fit: f"{len(fit['wins'])} contestants")
def test_strengths_are_those_of_a_published_implementation(fit: dict[str, list[list[float]]]):
    found = fit_strengths(np.array(fit["wins"], dtype=float))

    np.testing.assert_allclose(found, fit["strengths"], atol=1e-8)


def test_strengths_are_those_that_r_finds_in_citations_between_journals():
    # Stigler's counts (Biometrika, Communications in Statistics, JASA, JRSS B), cited by row, and the abilities that
    # the vignette of R's BradleyTerry2 prints for them, against Biometrika's.
    cited = np.array([[0, 730, 498, 221], [33, 0, 68, 17], [320, 813, 0, 142], [284, 276, 325, 0]], dtype=float)

    found = fit_strengths(cited)

    np.testing.assert_allclose(found - found[0], [0, -2.94907, -0.47957, 0.26895], atol=1e-5)


def test_many_sets_are_fitted_at_once_as_each_alone():
    generator = np.random.default_rng(3)
    wins = generator.integers(1, 30, (5, 4, 4)).astype(float) * (1 - np.eye(4))

    np.testing.assert_allclose(fit_strengths(wins), [fit_strengths(each) for each in wins], atol=1e-8)


def test_a_fit_far_from_even_is_found():
    wins = np.array([[0, 9999.0], [0.01, 0]])

    first, second = fit_strengths(wins)

    assert first - second == pytest.approx(np.log(999_900), rel=1e-6)


def test_ten_of_ten_still_leave_a_doubt():
    wins, ties = np.array([[0.0, 10], [0, 0]]), np.zeros((2, 2))

    drawn = fit_strengths(draw_wins(wins, ties, 2000, np.random.default_rng(0)))
    chance = 1 / (1 + np.exp(drawn[:, 1] - drawn[:, 0]))

    # Jeffreys' interval of 10 of 10 begins at the 2.5 % quantile of Beta(10.5, 0.5), 0.783.
    assert np.quantile(chance, 0.025) == pytest.approx(0.783, abs=0.02)


def test_the_prior_is_about_a_vote_for_each_contestant():
    games = np.ones((4, 4)) - np.eye(4)

    assert prior_wins(games).sum() == pytest.approx(2.0)
    assert prior_wins(np.array([[0.0, 5], [5, 0]])).tolist() == [[0, 0.5], [0.5, 0]]


def test_the_largest_group_is_what_can_be_compared():
    games = np.zeros((5, 5))
    for one, other in ((0, 3), (1, 2), (2, 4)):
        games[one, other] = games[other, one] = 1

    assert connected(games) == [1, 2, 4]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("num", "votes", "tied"), [(2, 10, 0.0), (2, 40, 0.3), (3, 30, 0.2), (6, 90, 0.2), (10, 200, 0.1)]
)
def test_intervals_cover_the_truth(num: int, votes: int, tied: float):
    generator = np.random.default_rng(num * 1000 + votes)
    covered: list[np.ndarray] = []
    pairs = [(one, other) for one in range(num) for other in range(one + 1, num)]
    for _ in range(150):
        truth = generator.normal(0, 0.8, num)
        truth -= truth.mean()
        wins, ties = np.zeros((num, num)), np.zeros((num, num))
        for _ in range(votes):
            one, other = pairs[generator.integers(len(pairs))]
            chance = 1 / (1 + np.exp(truth[other] - truth[one]))
            level = 2 * tied * min(chance, 1 - chance)  # a tie takes as much from either side
            drawn = generator.random()
            if drawn < level:
                ties[one, other] += 1
                ties[other, one] += 1
            elif drawn < level + chance - level / 2:
                wins[one, other] += 1
            else:
                wins[other, one] += 1
        if len(connected(wins + wins.T + ties)) < num:
            continue
        strengths = fit_strengths(draw_wins(wins, ties, 300, generator))
        low, high = np.quantile(strengths, (0.025, 0.975), axis=0)
        covered.append((low <= truth) & (truth <= high))

    share = float(np.mean(covered))
    sys.stdout.write(f"{num} contestants, {votes} votes: {share:.3f} of the intervals hold the truth\n")
    assert 0.9 <= share <= 0.99, share
