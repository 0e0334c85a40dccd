"""Beginnings of conversations that were read last, so that several which begin alike read it once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.towers import Cache

MAX_KEPT = 16

MAX_TOKENS = 16_384
"""Of all kept beginnings together: 2.4 GB for Nano, whose tokens take 144 KiB each."""


@dataclass(frozen=True, eq=False)
class Beginning:
    """A prompt that was read.

    Attributes:
        keys: of its tokens, int64 (see `Prompt`).
        cache: filled with it.
        adapter: that it was read with.
    """

    keys: np.ndarray
    cache: Cache
    adapter: object

    def num_shared(self, keys: np.ndarray, adapter: object) -> int:
        """Tokens at the beginning that it has in common with others."""
        return num_alike(self.keys, keys) if adapter == self.adapter else 0


def num_alike(one: np.ndarray, other: np.ndarray) -> int:
    """Keys at the beginning that two prompts have in common."""
    length = min(len(one), len(other))
    different = np.flatnonzero(one[:length] != other[:length])
    return int(different[0]) if len(different) else length


class SharedPrefixes:
    """Beginnings, the least recently used given up first. One thread's own."""

    def __init__(self) -> None:
        self._kept: list[Beginning] = []

    def longest(self, keys: np.ndarray, adapter: object) -> tuple[Cache, int] | None:
        """The kept conversation that shares most of its beginning with these keys, and how many tokens that is."""
        found = max(self._kept, key=lambda kept: kept.num_shared(keys, adapter), default=None)
        if found is None or not (length := found.num_shared(keys, adapter)):
            return None
        self._kept.remove(found)
        self._kept.append(found)
        return found.cache, length

    def keep(self, keys: np.ndarray, cache: Cache, adapter: object) -> None:
        """Keep a copy of what was read of these keys; beginnings that it contains are given up for it."""
        assert cache.length == len(keys)
        if len(keys) > MAX_TOKENS or any(kept.num_shared(keys, adapter) == len(keys) for kept in self._kept):
            return
        self._kept = [kept for kept in self._kept if kept.num_shared(keys, adapter) < len(kept.keys)]
        self._kept.append(Beginning(keys, cache.trimmed(), adapter))
        while len(self._kept) > MAX_KEPT or sum(len(kept.keys) for kept in self._kept) > MAX_TOKENS:
            self._kept.pop(0)

    def clear(self) -> None:
        """Give all of them up."""
        self._kept.clear()
