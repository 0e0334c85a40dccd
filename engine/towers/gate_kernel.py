"""The gate of a feed-forward and the rounding of its rows to FP8, in one trip to memory."""

# Triton is there only beside PyTorch's CUDA builds, and pyright does not follow what its decorator makes of a function.
# pyright: reportMissingImports=false, reportIndexIssue=false, reportPossiblyUnboundVariable=false, reportMissingTypeStubs=false

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

LARGEST = tl.constexpr(448.0)
NEARLY_NOTHING = tl.constexpr(1e-12)


@triton.jit
def _gate_rows(inner_at, rounded_at, scale_at, width: tl.constexpr, block: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, block)
    here = column < width
    gate = tl.load(inner_at + row * (2 * width) + column, here, 0)
    up = tl.load(inner_at + row * (2 * width) + width + column, here, 0)
    wide = gate.to(tl.float32)
    wide = (wide * tl.sigmoid(wide)).to(gate.dtype).to(tl.float32)
    wide = (wide * up.to(tl.float32)).to(gate.dtype).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(wide)), NEARLY_NOTHING) / LARGEST
    tl.store(rounded_at + row * width + column, (wide / scale).to(tl.float8e4nv), here)
    tl.store(scale_at + row, scale)


@torch.library.custom_op("orrery::gate_rows", mutates_args=(), device_types="cuda")
def gate_rows(inner: Tensor) -> tuple[Tensor, Tensor]:
    """Gate and up [S, 2 I] → silu(gate) * up as e4m3 [S, I], and the scale of each row [S, 1] float32."""
    width = inner.shape[1] // 2
    rounded = torch.empty(len(inner), width, device=inner.device, dtype=torch.float8_e4m3fn)
    scale = torch.empty(len(inner), 1, device=inner.device, dtype=torch.float32)
    block = triton.next_power_of_2(width)
    _gate_rows[(len(inner),)](inner, rounded, scale, width, block, num_warps=min(max(block // 1024, 1), 16))
    return rounded, scale


@gate_rows.register_fake
def _(inner: Tensor) -> tuple[Tensor, Tensor]:
    width = inner.shape[1] // 2
    return (
        inner.new_empty((inner.shape[0], width), dtype=torch.float8_e4m3fn),
        inner.new_empty((inner.shape[0], 1), dtype=torch.float32),
    )
