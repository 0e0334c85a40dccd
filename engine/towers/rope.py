"""Rotary positions on three interleaved axes: time, height, width (technical report, section 2.4)."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from engine.weights.config import ModelConfig


class Rope(NamedTuple):
    """Rotary tables of some tokens, made once and used by every layer and step.

    Attributes:
        cos: [S, 1, D].
        sin: [S, 1, D], its first half negated, so that a rotation is `x * cos + swapped(x) * sin`.
    """

    cos: Tensor
    sin: Tensor

    def rotate(self, x: Tensor) -> Tensor:
        """x [S, heads, D], each row turned by the angles of its token."""
        low, high = x.chunk(2, -1)
        return torch.addcmul(x * self.cos, torch.cat([high, low], -1), self.sin)


def rope_tables(config: ModelConfig, positions: Tensor, dtype: torch.dtype) -> Rope:
    """Tables for positions [3, S] (time, height, width; float32), on their device.

    Angles are computed in float32. Of the D/2 frequencies, slots 1, 4, 7 … belong to height and 2, 5, 8 … to width as
    far as their sections reach; all others to time. With sections (24, 20, 20): THW THW … twenty times, then TTTT.
    """
    exponents = torch.arange(0, config.head_dim, 2, dtype=torch.float32, device=positions.device) / config.head_dim
    # A broadcast product: as a matmul this drops to bfloat16 under autocast, which cannot count past 256.
    angles = positions.float()[:, :, None] * (1.0 / config.rope_theta**exponents)
    mixed = angles[0].clone()
    for axis in (1, 2):
        slots = slice(axis, config.rope_axes_dim[axis] * 3, 3)
        mixed[:, slots] = angles[axis][:, slots]
    cos, sin = mixed.cos(), mixed.sin()
    return Rope(
        torch.cat([cos, cos], -1)[:, None].to(dtype),
        torch.cat([-sin, sin], -1)[:, None].to(dtype),
    )
