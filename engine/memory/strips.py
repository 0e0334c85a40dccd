"""A clip decoded in overlapping strips, where the decoder has no room for whole frames.

The strips lie side by side along the longer side. Each has its own memory of earlier frames, and all strips of a piece
are decoded before the next piece. It is not exact: a strip does not see beyond its edges, and the decoder's attention
is over the strip. Where strips overlap they are faded into one another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

STRIP_CELLS = 24
"""Across a strip: 384 pixels."""

OVERLAP_CELLS = 4
"""At least, of two neighbours."""

Decode = Callable[[Tensor, int], Iterator[Tensor]]
"""`ClipCoder.decode`."""


def decode_in_strips(
    decode: Decode, latents: Tensor, strip: int = STRIP_CELLS, overlap: int = OVERLAP_CELLS
) -> Iterator[Tensor]:
    """latents [C, T, rows, columns] → pieces [3, 1, height, width], then [3, 4n, ...], float32 in -1..1.

    Args:
        strip: cells across, at most.
        overlap: cells that neighbours have in common, at least.
    """
    axis = 2 if latents.shape[2] > latents.shape[3] else 3
    length = latents.shape[axis]
    starts, cells = strip_starts(length, strip, overlap), min(strip, length)
    # A latent frame at a time: several of a strip would take what strips are there to save.
    running = [decode(latents.narrow(axis, start, cells), 1) for start in starts]
    for pieces in zip(*running, strict=True):
        side = pieces[0].shape[axis] // cells  # pixels of a cell
        yield _together(list(pieces), [start * side for start in starts], length * side, axis)


def _together(pieces: list[Tensor], starts: list[int], length: int, axis: int) -> Tensor:
    """Strips [3, n, height, width] from their first pixels on, along an axis of so many."""
    width = pieces[0].shape[axis]
    shape = list(pieces[0].shape)
    shape[axis] = length
    whole, total = pieces[0].new_zeros(shape), pieces[0].new_zeros(length)
    rising = torch.arange(1, width + 1, dtype=whole.dtype, device=whole.device)
    weight = torch.minimum(rising, rising.flip(0))  # from the edges to the middle, nowhere 0
    along = [1] * 4
    along[axis] = -1
    for piece, start in zip(pieces, starts, strict=True):
        whole.narrow(axis, start, width).add_(piece * weight.view(along))
        total.narrow(0, start, width).add_(weight)
    return whole / total.view(along)


def strip_starts(length: int, strip: int = STRIP_CELLS, overlap: int = OVERLAP_CELLS) -> list[int]:
    """Where strips begin, evenly: 52 cells in strips of 24 with 4 in common begin at 0, 14 and 28."""
    if length <= strip:
        return [0]
    count = -(-(length - overlap) // (strip - overlap))
    return [round(index * (length - strip) / (count - 1)) for index in range(count)]
