"""How passes are divided."""

from __future__ import annotations

import pytest

from engine.parallel import Layout
from engine.parallel.spread import parts


@pytest.mark.parametrize(
    ("num_ranks", "num_sequences", "groups", "shards"),
    [(2, 2, 2, 1), (4, 2, 2, 2), (2, 1, 1, 2), (4, 3, 1, 4), (4, 8, 4, 1), (2, 3, 1, 2), (4, 6, 2, 2)],
)
def test_branches_are_shared_first_and_tokens_after_that(num_ranks, num_sequences, groups, shards):
    layout = Layout.over(num_ranks, num_sequences)
    assert (layout.groups, layout.shards) == (groups, shards)
    assert layout.num_ranks == num_ranks


def test_groups_get_consecutive_sequences_and_all_of_their_tokens():
    first, second = parts((18, 20, 7, 9), 2)
    assert (first.sequences, first.tokens, first.num_tokens) == ((0, 2), (0, 38), 38)
    assert (second.sequences, second.tokens, second.num_tokens) == ((2, 4), (38, 54), 16)


def test_tokens_that_do_not_divide_are_rounded_up():
    (whole,) = parts((10,), 1)
    assert [whole.shard_length(shards) for shards in (1, 2, 4)] == [10, 5, 3]
