"""One-to-one assignment against every possible one."""

import itertools

import numpy as np
import pytest

from studio.evaluation.assignment import assign


def test_the_best_total_wins_over_the_best_pair():
    assert assign(np.array([[0.9, 0.8], [0.8, 0.0]])) == [(0, 1), (1, 0)]


@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (4, 4), (2, 5), (5, 2), (4, 6)])
def test_no_assignment_has_a_larger_total(shape: tuple[int, int]):
    generator = np.random.default_rng(sum(shape))
    for _ in range(30):
        overlaps = generator.random(shape) * (generator.random(shape) < 0.6)
        wide = overlaps if shape[0] <= shape[1] else overlaps.T
        best = max(
            sum(wide[row, column] for row, column in enumerate(columns))
            for columns in itertools.permutations(range(wide.shape[1]), wide.shape[0])
        )

        pairs = assign(overlaps)

        assert sum(overlaps[pair] for pair in pairs) == pytest.approx(best)
        assert len({row for row, _ in pairs}) == len({column for _, column in pairs}) == min(shape)


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
def test_nothing_is_assigned_to_nothing(shape: tuple[int, int]):
    assert assign(np.zeros(shape)) == []
