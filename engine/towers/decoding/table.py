"""What differs from token to token, in one small tensor that a recorded step reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from engine.towers.cache import Cache

TOKEN, POSITION, LENGTH, KEYS, VALUES, CAPACITY, EARLIER = range(7)
"""Columns. `KEYS` and `VALUES` are addresses of a cache's tensors [L, K, CAPACITY, D]; `LENGTH` of it is filled. The
`EARLIER` rows directly above are tokens of the same conversation, which follow what is filled."""

NUM_COLUMNS = 7


@dataclass(frozen=True)
class LastToken:
    """A conversation's last token, which is read now, or one that may follow it.

    Attributes:
        position: on all three rotary axes.
        cache: with room for the token and the earlier ones.
        earlier: tokens of the same conversation that are read in the same step, directly before this one.
    """

    token: int
    position: int
    cache: Cache
    earlier: int = 0


class Table:
    """Rows on the device.

    Args:
        size: B, how many there are.
        spare: what rows without a conversation write to.

    Attributes:
        values: int64 [B, 7]; it stays where it is.
    """

    def __init__(self, size: int, spare: Cache) -> None:
        device = spare.keys.device
        self._spare = LastToken(0, 0, spare)
        self.values = torch.zeros(size, NUM_COLUMNS, dtype=torch.int64, device=device)
        # From ordinary memory a copy would wait for all that the GPU was given before.
        self._sent = torch.zeros(size, NUM_COLUMNS, dtype=torch.int64, pin_memory=device.type == "cuda")
        self._written = self._sent.numpy()
        self._arrival = torch.cuda.Event() if device.type == "cuda" else None
        self.fill([])

    def fill(self, rows: Sequence[LastToken]) -> None:
        """Write up to B rows, without waiting for the device, whose last answer has been read since the last time."""
        if self._arrival is not None:
            self._arrival.synchronize()
        filled = [*rows, *[self._spare] * (len(self._sent) - len(rows))]
        self._written[:] = [_columns(row) for row in filled]
        self.values.copy_(self._sent, non_blocking=True)
        if self._arrival is not None:
            self._arrival.record()


def _columns(row: LastToken) -> list[int]:
    cache = row.cache
    assert cache.length + row.earlier < cache.capacity
    where = [cache.keys.data_ptr(), cache.values.data_ptr(), cache.capacity]
    return [row.token, row.position, cache.length, *where, row.earlier]
