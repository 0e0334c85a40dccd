"""How a pass is divided among ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise


@dataclass(frozen=True)
class Layout:
    """So many groups of so many ranks; rank r is number `r % shards` of group `r // shards`.

    Attributes:
        groups: they share the sequences of a pass among them.
        shards: ranks of each group; they share the tokens of the group's sequences.
    """

    groups: int
    shards: int

    @property
    def num_ranks(self) -> int:
        """Ranks that take part."""
        return self.groups * self.shards

    @classmethod
    def over(cls, num_ranks: int, num_sequences: int) -> Layout:
        """The layout with the fewest exchanges that gives every rank the same number of sequences or of tokens.

        Two branches on four ranks are two groups of two; the three of a transfer share their tokens among all four.
        """
        groups = math.gcd(num_ranks, num_sequences)
        return cls(groups, num_ranks // groups)


@dataclass(frozen=True)
class Part:
    """What one group has of a pass: consecutive sequences, and their tokens.

    Attributes:
        sequences: (first, behind the last) of the pack's.
        tokens: (first, behind the last) of the pack's.
    """

    sequences: tuple[int, int]
    tokens: tuple[int, int]

    @property
    def num_tokens(self) -> int:
        """Tokens of its sequences."""
        return self.tokens[1] - self.tokens[0]

    def shard_length(self, shards: int) -> int:
        """Tokens of each of its ranks; the last ones may be padding: 10 tokens on 4 ranks are 3, 3, 3 and 1."""
        return math.ceil(self.num_tokens / shards)


def parts(lengths: Sequence[int], groups: int) -> list[Part]:
    """The sequences of a pack in so many runs of the same number."""
    assert len(lengths) % groups == 0
    each = len(lengths) // groups
    firsts = range(0, len(lengths) + 1, each)
    ends = [0, *accumulate(lengths)]
    return [Part((first, last), (ends[first], ends[last])) for first, last in pairwise(firsts)]
