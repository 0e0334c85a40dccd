"""What a step learns from, drawn by a thread while the step before is computed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Generic, TypeVar

import torch

from tuning.ranks import own_seed

Drawn = TypeVar("Drawn")

SWITCH_S = 0.0002
"""How long a thread of this process that wants Python waits before it asks for it. With CPython's 5 ms, whoever
launches kernels, and lets go of Python at each of them, may wait for the thread that draws as long as a step takes."""


class Ahead(Generic[Drawn]):
    """One step's batch after another. Cutting hundreds of texts, or stacking pictures, takes as long as a step.

    Args:
        draw: from dice to a batch; it runs in the thread, one at a time.
        seed: a step's dice are a function of (seed, step) alone, and of the rank where several train together.
        refill: told the step, before the next one is drawn: takes in what has come since. Nothing is drawn meanwhile.
    """

    def __init__(
        self, draw: Callable[[torch.Generator], Drawn], seed: int, refill: Callable[[int], object] = lambda step: None
    ) -> None:
        sys.setswitchinterval(SWITCH_S)
        self._draw, self._seed, self._refill = draw, own_seed(seed), refill
        self._pool = ThreadPoolExecutor(1)
        self._coming: tuple[int, Future[Drawn]] | None = None

    def take(self, step: int) -> Drawn:
        """The batch of a step."""
        if self._coming is None or self._coming[0] != step:
            self._coming = step, self._begin(step)
        batch = self._coming[1].result()
        self._refill(step)
        self._coming = step + 1, self._begin(step + 1)
        return batch

    def settle(self) -> None:
        """Until nothing is drawn; `take` begins with it again."""
        if self._coming is not None:
            wait([self._coming[1]])

    def close(self) -> None:
        """End the thread."""
        self._pool.shutdown(cancel_futures=True)

    def _begin(self, step: int) -> Future[Drawn]:
        return self._pool.submit(self._drawn, self._seed * 1_000_003 + step)

    def _drawn(self, seed: int) -> Drawn:
        return self._draw(torch.Generator().manual_seed(seed))
