"""What stands between the VAE's convolutions, one trip to memory each: bias, normalisation and SiLU; bias and sum."""

# Triton is there only beside PyTorch's CUDA builds, and pyright does not follow what its decorator makes of a function.
# pyright: reportMissingImports=false, reportIndexIssue=false, reportPossiblyUnboundVariable=false, reportMissingTypeStubs=false

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

NEARLY_NOTHING = tl.constexpr(1e-12)
"""Below this a cell's length counts as this, as in `torch.nn.functional.normalize`."""

VALUES = 4096
"""Of a program."""


@triton.jit
def _activated_rows(
    x_at,
    bias_at,
    gain_at,
    out_at,
    num_rows,
    scale,
    width: tl.constexpr,
    block: tl.constexpr,
    rows: tl.constexpr,
    biased: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64) * rows + tl.arange(0, rows)
    column = tl.arange(0, block)
    inside = (row < num_rows)[:, None] & (column < width)[None, :]
    place = row[:, None] * width + column[None, :]
    x = tl.load(x_at + place, inside, 0)
    if biased:
        bias = tl.load(bias_at + column, column < width, 0)
        x = (x.to(tl.float32) + bias.to(tl.float32)[None, :]).to(x.dtype)
    gain = tl.load(gain_at + column, column < width, 0)
    wide = x.to(tl.float32)
    length = tl.maximum(tl.sqrt(tl.sum(wide * wide, 1)), NEARLY_NOTHING)
    normal = (wide / length[:, None]).to(x.dtype).to(tl.float32)
    scaled = (normal * scale).to(x.dtype).to(tl.float32)
    gained = (scaled * gain.to(tl.float32)[None, :]).to(x.dtype).to(tl.float32)
    tl.store(out_at + place, (gained * tl.sigmoid(gained)).to(x.dtype), inside)


def activated_rows_on_gpu(rows: Tensor, bias: Tensor | None, gain: Tensor, scale: float) -> Tensor:
    """See `engine.vae.kernels.activated_rows`; rows [n, C] lie behind one another in memory."""
    assert rows.is_contiguous()
    out = torch.empty_like(rows)
    width = rows.shape[1]
    block = triton.next_power_of_2(width)
    count = max(VALUES // block, 1)
    _activated_rows[(triton.cdiv(len(rows), count),)](
        rows,
        rows if bias is None else bias,
        gain,
        out,
        len(rows),
        scale,
        width,
        block,
        count,
        bias is not None,
        num_warps=4,
    )
    return out


@triton.jit
def _added_rows(x_at, bias_at, added_at, out_at, num_values, width: tl.constexpr, block: tl.constexpr):
    place = tl.program_id(0).to(tl.int64) * block + tl.arange(0, block)
    here = place < num_values
    x = tl.load(x_at + place, here, 0)
    bias = tl.load(bias_at + place % width, here, 0)
    x = (x.to(tl.float32) + bias.to(tl.float32)).to(x.dtype)
    added = tl.load(added_at + place, here, 0)
    tl.store(out_at + place, (x.to(tl.float32) + added.to(tl.float32)).to(x.dtype), here)


def added_rows_on_gpu(rows: Tensor, bias: Tensor, added: Tensor) -> Tensor:
    """See `engine.vae.residual.added_rows`; rows [n, C] and `added` lie behind one another in memory."""
    assert rows.is_contiguous()
    assert added.is_contiguous()
    out = torch.empty_like(rows)
    _added_rows[(triton.cdiv(rows.numel(), VALUES),)](
        rows, bias, added, out, rows.numel(), rows.shape[1], VALUES, num_warps=4
    )
    return out
