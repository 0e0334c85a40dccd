"""Which of a data set come when: all of them shuffled each turn, or a few from its beginning to its end."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import torch

STRIDE = 1_000_003
"""Between the random numbers of two seeds."""

NUM_SAMPLES = 3


class Turns:
    """Each comes once before any comes again, in another order each time; all a function of a seed."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._order = lru_cache(maxsize=4)(self._new_order)

    def generator(self, place: int) -> torch.Generator:
        """The random numbers of a place."""
        return torch.Generator().manual_seed(self._seed * STRIDE + place)

    def nth(self, length: int, count: int, kind: int = 0) -> int:
        """Which of `length` things comes after `count` others.

        Args:
            kind: 0 or 1; each has orders of its own.
        """
        turn, place = divmod(count, length)
        return self._order(length, turn, kind)[place]

    def _new_order(self, length: int, turn: int, kind: int) -> list[int]:
        return shuffled(length, self._seed, turn, kind, 2)


def shuffled(length: int, seed: int, turn: int, kind: int, num_kinds: int) -> list[int]:
    """An order of `length` things, which is another one for each seed, turn and kind of things."""
    generator = torch.Generator().manual_seed((seed * STRIDE + turn) * num_kinds + kind)
    return torch.randperm(length, generator=generator).tolist()


def sampled(length: int) -> list[int]:
    """Indexes of the first, the last and what is between them, `NUM_SAMPLES` in all, of fewer each once."""
    return list(dict.fromkeys(np.linspace(0, length - 1, NUM_SAMPLES).round().astype(int).tolist()))
