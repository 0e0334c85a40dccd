"""Root mean square normalisation, in the two rounding orders that the released weights were trained with."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import rms_norm

from engine.weights.config import ModelConfig


class RmsNorm(nn.Module):
    """`x / rms(x) * weight` over the last dimension, in float32.

    Below float32 the families differ in one rounding: Qwen (Nano, Super) rounds before the weight, Nemotron (Edge)
    after it. `weight` may have leading dimensions, as [heads, D] does for queries and keys.
    """

    def __init__(self, shape: tuple[int, ...], eps: float, *, rounds_before_weight: bool) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(shape))
        self.width = shape[-1:]
        self.eps = eps
        self.rounds_before_weight = rounds_before_weight

    @classmethod
    def of(cls, config: ModelConfig, *shape: int) -> RmsNorm:
        """The norm of a checkpoint's family."""
        return cls(shape, config.rms_norm_eps, rounds_before_weight=config.family == "qwen")

    def forward(self, x: Tensor, rows: slice | None = None) -> Tensor:
        """x [..., D] → the same shape and dtype.

        Args:
            rows: of the weight that are for x, where x has fewer heads than it.
        """
        weight = self.weight if rows is None else self.weight[rows]
        normal = rms_norm(x.float(), self.width, eps=self.eps)
        if self.rounds_before_weight:
            return weight * normal.to(x.dtype)
        return (weight.float() * normal).to(x.dtype)
