"""The residual stream plus what a layer adds, and its norm, in one kernel."""

# Triton is there only beside PyTorch's CUDA builds, and pyright does not follow what its decorator makes of a function.
# pyright: reportMissingImports=false, reportIndexIssue=false, reportPossiblyUnboundVariable=false, reportMissingTypeStubs=false

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from engine.towers.decoding.overlap import admit_next, await_inputs
from engine.towers.rms_norm import RmsNorm


@triton.jit
def _sum_norm(
    x_at,
    added_at,
    weight_at,
    sum_at,
    normal_at,
    eps,
    width: tl.constexpr,
    block: tl.constexpr,
    adds: tl.constexpr,
    rounds_before_weight: tl.constexpr,
    overlaps: tl.constexpr,
):
    column = tl.arange(0, block)
    here = column < width
    weight = tl.load(weight_at + column, here, 0)
    admit_next(overlaps)
    await_inputs(overlaps)
    place = tl.program_id(0) * width + column
    x = tl.load(x_at + place, here, 0)
    if adds:
        x = (x.to(tl.float32) + tl.load(added_at + place, here, 0).to(tl.float32)).to(x.dtype)
        tl.store(sum_at + place, x, here)
    wide = x.to(tl.float32)
    wide *= tl.rsqrt(tl.sum(wide * wide) / width + eps)
    if rounds_before_weight:
        wide = wide.to(x.dtype).to(tl.float32)
    tl.store(normal_at + place, (weight.to(tl.float32) * wide).to(x.dtype), here)


def sum_norm(x: Tensor, added: Tensor | None, norm: RmsNorm, *, overlaps: bool) -> tuple[Tensor, Tensor]:
    """x + added and its norm, [B, H] each; without anything to add, x itself and its norm."""
    total, normal = x if added is None else torch.empty_like(x), torch.empty_like(x)
    width = x.shape[1]
    _sum_norm[(len(x),)](
        x,
        x if added is None else added,
        norm.weight,
        total,
        normal,
        norm.eps,
        width,
        triton.next_power_of_2(width),
        added is not None,
        norm.rounds_before_weight,
        overlaps,
        num_warps=min(triton.next_power_of_2(triton.cdiv(width, 256)), 16),
        **({"launch_pdl": True} if overlaps else {}),
    )
    return total, normal
