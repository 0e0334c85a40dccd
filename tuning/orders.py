"""Which of a data set come when: all of them shuffled anew each turn, or a few from its beginning to its end."""

from __future__ import annotations

import numpy as np
import torch

STRIDE = 1_000_003
"""Between the random numbers of two seeds."""

NUM_SAMPLES = 3


def shuffled(length: int, seed: int, turn: int, kind: int, num_kinds: int) -> list[int]:
    """An order of `length` things, which is another one for each seed, turn and kind of things."""
    generator = torch.Generator().manual_seed((seed * STRIDE + turn) * num_kinds + kind)
    return torch.randperm(length, generator=generator).tolist()


def sampled(length: int) -> list[int]:
    """Indexes of the first, the last and what is between them, `NUM_SAMPLES` in all, of fewer each once."""
    return list(dict.fromkeys(np.linspace(0, length - 1, NUM_SAMPLES).round().astype(int).tolist()))
