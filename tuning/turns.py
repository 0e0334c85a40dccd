"""In which order things are trained on: each comes once before any comes again, in another order each time."""

from __future__ import annotations

from functools import lru_cache

import torch

STRIDE = 1_000_003
"""Between the dice of two seeds."""


class Turns:
    """Orders that are a function of a seed alone."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._order = lru_cache(maxsize=4)(self._new_order)

    def dice(self, place: int) -> torch.Generator:
        """What is left to chance at a place."""
        return torch.Generator().manual_seed(self._seed * STRIDE + place)

    def nth(self, length: int, count: int, kind: int = 0) -> int:
        """Which of `length` things comes after `count` others.

        Args:
            kind: 0 or 1; each has orders of its own.
        """
        turn, place = divmod(count, length)
        return self._order(length, turn, kind)[place]

    def _new_order(self, length: int, turn: int, kind: int) -> list[int]:
        dice = torch.Generator().manual_seed((self._seed * STRIDE + turn) * 2 + kind)
        return torch.randperm(length, generator=dice).tolist()
