"""Cover and centre crop: the smallest enlargement or reduction that fills a canvas, and its middle.

The sizes, the crop and the filter are those of diffusers' `_preprocess_conditioning_image` (pipeline_cosmos3_omni.py):
triangle filter as wide as the reduction (antialiased bilinear), pixel centres at +0.5, weights in float32, one rounding
at the end. Worked example: 1920x1080 onto 736x544 has scale max(736/1920, 544/1080) = 0.5037, is resized to 968x544,
and columns 116 to 851 are kept.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Taps = tuple[NDArray[np.intp], NDArray[np.float32]]
"""Source index and weight of each output pixel along one axis: two arrays [num_taps, num_outputs]."""


class Cover:
    """Fills a canvas from pictures of one size. Only the pixels that stay in the crop are computed."""

    def __init__(self, source_width: int, source_height: int, width: int, height: int) -> None:
        scale = max(width / source_width, height / source_height)
        self._size = (height, width)
        self._source_size = (source_height, source_width)
        self._rows = _taps(source_height, math.ceil(scale * source_height), height)
        columns, weights = _taps(source_width, math.ceil(scale * source_width), width)
        self._first, self._last = int(columns.min()), int(columns.max())
        # Rows of pixels are taken for rows of numbers, three a pixel: the inner loops are then as long as a row.
        flat = ((columns - self._first)[:, :, None] * 3 + np.arange(3)).reshape(len(columns), -1)
        self._columns: Taps = flat, np.repeat(weights, 3, axis=1)

    def __call__(self, pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """uint8 [source_height, source_width, 3] to uint8 [height, width, 3]."""
        assert pixels.shape == (*self._source_size, 3), pixels.shape
        if self._size == self._source_size:
            return pixels
        flat = pixels[:, self._first : self._last + 1].reshape(len(pixels), -1)
        tall = _weighted(flat, self._rows, axis=0)  # first, for the gather of columns is the dearer one
        filled = _weighted(tall, self._columns, axis=1)
        return np.clip(np.rint(filled, out=filled), 0, 255).astype(np.uint8).reshape(*self._size, 3)


def _taps(source: int, resized: int, kept: int) -> Taps:
    """The filter along one axis for the middle `kept` of `resized` pixels."""
    crop = round((resized - kept) / 2)
    scale = source / resized
    support = max(scale, 1.0)
    centres = (np.arange(crop, crop + kept) + 0.5) * scale
    first = np.maximum((centres - support + 0.5).astype(np.intp), 0)
    last = np.minimum((centres + support + 0.5).astype(np.intp), source)
    index = first + np.arange(2 * math.ceil(support) + 1)[:, None]
    weights = np.maximum(1 - np.abs(index + 0.5 - centres) / support, 0) * (index < last)
    weights /= weights.sum(axis=0)
    used = weights.any(axis=1)
    return np.minimum(index, source - 1)[used], weights[used].astype(np.float32)


def _weighted(numbers: NDArray[np.uint8] | NDArray[np.float32], taps: Taps, axis: Literal[0, 1]) -> NDArray[np.float32]:
    """The weighted sum of rows (axis 0) or columns (axis 1) of a matrix, for each output row or column."""
    index, weights = taps
    scaled = weights[:, :, None] if axis == 0 else weights[:, None, :]
    total: NDArray[np.float32] = np.take(numbers, index[0], axis=axis) * scaled[0]
    for tap in range(1, len(index)):
        total += np.take(numbers, index[tap], axis=axis) * scaled[tap]
    return total
