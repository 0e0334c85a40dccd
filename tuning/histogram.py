"""How long sequences are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from studio.tuning.events import Bin

NUM_BINS = 10


def histogram_of(lengths: Sequence[int]) -> tuple[Bin, ...]:
    """Ten bins between the shortest and the longest; one where all are alike."""
    counts, edges = np.histogram(lengths, NUM_BINS if min(lengths) < max(lengths) else 1)
    ends = [int(edge) for edge in edges]
    return tuple(
        Bin(low=low, high=high, count=int(count)) for low, high, count in zip(ends[:-1], ends[1:], counts, strict=True)
    )
