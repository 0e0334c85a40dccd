"""Minimum, maximum, mean and deviation of every feature: of an episode, and of a data set from its episodes'."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Stats = dict[str, list[Any]]
"""LeRobot's: min, max, mean, std and count, as nested lists."""


def column_stats(values: NDArray[Any]) -> Stats:
    """Of one column, [n] or [n, width]."""
    table = values.reshape(len(values), -1).astype(np.float64)
    return {
        "min": table.min(axis=0).tolist(),
        "max": table.max(axis=0).tolist(),
        "mean": table.mean(axis=0).tolist(),
        "std": table.std(axis=0).tolist(),
        "count": [len(table)],
    }


class PictureStats:
    """Of a video, by channel and between 0 and 1, from a picture a second."""

    def __init__(self) -> None:
        self._count = 0
        self._min = np.full(3, 1.0)
        self._max = np.zeros(3)
        self._sum = np.zeros(3)
        self._squares = np.zeros(3)
        self._pixels = 0

    def add(self, picture: NDArray[np.uint8]) -> None:
        """One picture, uint8 [height, width, 3]."""
        pixels = picture[::4, ::4].reshape(-1, 3) / 255.0
        self._count += 1
        self._pixels += len(pixels)
        self._min = np.minimum(self._min, pixels.min(axis=0))
        self._max = np.maximum(self._max, pixels.max(axis=0))
        self._sum += pixels.sum(axis=0)
        self._squares += (pixels**2).sum(axis=0)

    def stats(self) -> Stats:
        """Shaped [3, 1, 1], as LeRobot has them."""
        mean = self._sum / max(self._pixels, 1)
        std = np.sqrt(np.maximum(self._squares / max(self._pixels, 1) - mean**2, 0.0))
        shaped = {"min": self._min, "max": self._max, "mean": mean, "std": std}
        return {name: value.reshape(3, 1, 1).tolist() for name, value in shaped.items()} | {"count": [self._count]}


def aggregate(parts: Sequence[Stats]) -> Stats:
    """Of everything, from its parts'.

    Two frames with mean 1 and two with mean 3, none of them varying: mean 2, deviation 1.
    """
    counts = np.array([part["count"][0] for part in parts], np.float64)
    weights = counts / max(counts.sum(), 1)
    means, stds = (np.stack([np.array(part[name]) for part in parts]) for name in ("mean", "std"))
    shape = (-1,) + (1,) * (means.ndim - 1)
    mean = (weights.reshape(shape) * means).sum(axis=0)
    variance = (weights.reshape(shape) * (stds**2 + (means - mean) ** 2)).sum(axis=0)
    return {
        "min": np.stack([np.array(part["min"]) for part in parts]).min(axis=0).tolist(),
        "max": np.stack([np.array(part["max"]) for part in parts]).max(axis=0).tolist(),
        "mean": mean.tolist(),
        "std": np.sqrt(variance).tolist(),
        "count": [int(counts.sum())],
    }
