"""Linear layers in FP8: e4m3 with one scale for each output of the weight and one for each token.

The generator's four matrices of every block; attention, norms, the reasoner, the timestep embedder and what goes in and
comes out stay as they are. Lossy: what it costs is in docs/performance.md.
"""

from __future__ import annotations

from importlib.util import find_spec

import torch
from torch import Tensor, nn
from torch.nn.functional import linear, silu

LARGEST = 448.0
"""Of e4m3's values."""

NEARLY_NOTHING = 1e-12

WIDENED_FROM = 1024
"""Rows from which a precise product is cheaper with the weight widened to the layer's dtype. Widening all of Nano's is
reckoned at 5 ms a pass, whatever the rows; two FP8 terms take twice the products of a rounded pass."""

HAS_TRITON = find_spec("triton") is not None


class Fp8Linear(nn.Module):
    """A bias-free linear layer with rounded weights.

    Attributes:
        weight: [outputs, inputs] e4m3.
        scale: [outputs, 1] float32; `weight * scale` is what was rounded.
        precise: the weight alone is rounded. Of few rows inputs are two FP8 terms, whose sum has bfloat16's eight bits;
            from `WIDENED_FROM` on the weight is widened to `dtype`.
        dtype: what the layer takes and gives.
    """

    def __init__(self, weight: Tensor, scale: Tensor, dtype: torch.dtype) -> None:
        super().__init__()
        self.weight = nn.Parameter(weight, requires_grad=False)
        self.scale = nn.Parameter(scale, requires_grad=False)
        self.precise = False
        self.dtype = dtype

    @classmethod
    def of(cls, layer: nn.Linear) -> Fp8Linear:
        """Another layer, rounded."""
        assert layer.bias is None
        return cls(*quantised(layer.weight.detach()), layer.weight.dtype)

    def forward(self, x: Tensor) -> Tensor:
        """x [S, inputs] → [S, outputs]."""
        if self.precise and len(x) >= WIDENED_FROM:
            return linear(x, (self.weight.float() * self.scale).to(x.dtype))
        rounded, scale = quantised(x)
        if not self.precise:
            return self.product(rounded, scale, x.dtype)
        # What the first rounding left, rounded too: together as good as bfloat16, and the weight is read once.
        rest, rest_scale = quantised(x.float() - rounded.float() * scale)
        out = self.product(torch.cat([rounded, rest]), torch.cat([scale, rest_scale]), x.dtype)
        return out[: len(x)] + out[len(x) :]

    @property
    def rounds_inputs(self) -> bool:
        """Whether inputs are rounded now."""
        return not self.precise

    def product(self, rounded: Tensor, scale: Tensor, dtype: torch.dtype) -> Tensor:
        """Rounded inputs [S, inputs] and the scale of each row [S, 1] → [S, outputs] of this dtype."""
        if rounded.is_cuda:
            return torch._scaled_mm(  # pyright: ignore[reportPrivateImportUsage]
                rounded, self.weight.t(), scale_a=scale, scale_b=self.scale.t(), out_dtype=dtype, use_fast_accum=True
            )
        # The same sum on a processor, whose own FP8 product not every build of PyTorch has.
        return (linear(rounded.float(), self.weight.float()) * scale * self.scale.t()).to(dtype)


def quantised(x: Tensor) -> tuple[Tensor, Tensor]:
    """x [rows, columns] → e4m3 of the same shape, and the scale of each row [rows, 1] float32."""
    values = x.float()
    scale = values.abs().amax(-1, keepdim=True).clamp_min(NEARLY_NOTHING) / LARGEST
    return (values / scale).to(torch.float8_e4m3fn), scale


def gate_rows(inner: Tensor) -> tuple[Tensor, Tensor]:
    """Gate and up [S, 2 I] → silu(gate) * up, `quantised`."""
    if inner.is_cuda and HAS_TRITON:
        from engine.towers import kernels

        return kernels.gate_rows(inner)
    gate, up = inner.chunk(2, -1)
    return quantised(silu(gate) * up)


def quantise(module: nn.Module) -> None:
    """Replace every bias-free linear layer within, one after another: the old weights go as the new ones come."""
    for name, layer in list(module.named_modules()):
        if isinstance(layer, nn.Linear) and layer.bias is None:
            module.set_submodule(name, Fp8Linear.of(layer))


def set_precise(module: nn.Module, precise: bool) -> None:
    """Say how the layers within compute from now on."""
    for layer in module.modules():
        if isinstance(layer, Fp8Linear):
            layer.precise = precise
