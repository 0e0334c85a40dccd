"""A linear layer with an adapter on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from engine.adapters.adapter_file import LowRank
from engine.towers import Fp8Linear


@dataclass(frozen=True)
class Patch:
    """An adapter's part for some of a layer's outputs: to_k's, of a layer that makes queries, keys and values.

    Attributes:
        first: the output that it starts at.
    """

    first: int
    matrices: LowRank


class WornLinear(nn.Module):
    """`base(x) + scale * up(down(x))`. The base layer is the one that was there before, and stays untouched."""

    def __init__(self, base: nn.Linear | Fp8Linear, patches: Sequence[Patch], scale: float) -> None:
        super().__init__()
        self.base = base
        like = {"device": base.weight.device, "dtype": base.dtype if isinstance(base, Fp8Linear) else base.weight.dtype}
        self.rows = [(patch.first, patch.first + len(patch.matrices.up)) for patch in patches]
        # One product for all patches; plain tensors, so that a model counts and saves its own weights alone.
        self.down = torch.cat([patch.matrices.down for patch in patches]).to(**like)
        self.ups = [(scale * patch.matrices.up).to(**like) for patch in patches]

    @property
    def weight(self) -> Tensor:
        """The base layer's, for whoever asks where and in what it computes."""
        return self.base.weight

    def forward(self, x: Tensor) -> Tensor:
        """x [..., inputs] → [..., outputs]."""
        out = self.base(x)
        parts = (x @ self.down.T).split([up.shape[1] for up in self.ups], -1)
        for (start, stop), part, up in zip(self.rows, parts, self.ups, strict=True):
            out[..., start:stop] += part @ up.T
        return out
