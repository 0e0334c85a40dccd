"""Intervals against hand-worked and published examples."""

import numpy as np
import pytest

from studio.evaluation.statistics import bootstrap, mean_and_sd, wilson


def test_wilsons_interval_is_that_of_the_tables():
    low, high = wilson(0.8, 10)

    assert (low, high) == (pytest.approx(0.4902, abs=1e-4), pytest.approx(0.9433, abs=1e-4))
    assert wilson(1.0, 5)[0] > 0.5
    assert wilson(0.0, 0) == (0, 1)


def test_the_bootstrap_gives_about_the_normal_interval_and_always_the_same():
    values = np.random.default_rng(1).normal(5, 2, 400).tolist()
    half = 1.96 * np.std(values) / 20

    low, high = bootstrap(values)

    assert (low, high) == bootstrap(values)
    assert (low, high) != bootstrap(values, seed=1)
    assert low == pytest.approx(np.mean(values) - half, abs=0.03)
    assert high == pytest.approx(np.mean(values) + half, abs=0.03)


def test_a_constant_has_no_spread():
    assert bootstrap([2.0, 2.0]) == (2, 2)
    assert mean_and_sd([2.0]) == (2, 0)
    assert mean_and_sd([1, 2, 3]) == (2, pytest.approx(0.8165, abs=1e-4))
