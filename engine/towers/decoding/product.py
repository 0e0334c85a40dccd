"""Kernels of a recorded step: products with few rows, and the residual stream with what a layer adds and its norm.

A kernel is started while the one before it ends (programmatic dependent launch, from Hopper on). One that is launched
so calls `await_inputs` before it touches anything that another kernel makes, and every kernel of a chain does, also one
that needs nothing: only then does its end mean that all before it have ended. What no kernel writes, such as weights,
may be read before.
"""

# Triton is there only beside PyTorch's CUDA builds, and pyright does not follow what its decorator makes of a function.
# pyright: reportMissingImports=false, reportIndexIssue=false, reportPossiblyUnboundVariable=false, reportMissingTypeStubs=false

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import torch
import triton
import triton.language as tl
from torch import Tensor, nn

from engine.towers.block import FeedForward
from engine.towers.rms_norm import RmsNorm


@triton.jit
def await_inputs(overlaps: tl.constexpr):
    """Wait for the kernels before."""
    if overlaps:
        tl.extra.cuda.gdc_wait()


@triton.jit
def admit_next(overlaps: tl.constexpr):
    """Let the next kernel's programs come, as soon as all of this kernel's have said so."""
    if overlaps:
        tl.extra.cuda.gdc_launch_dependents()


@dataclass(frozen=True)
class Tiling:
    """How a matrix is cut.

    Attributes:
        outputs: rows of it that a program takes at once.
        inputs: columns that it takes at once.
        num_programs: for each of the GPU's processors; tiles are dealt out to them in turn.
        num_stages: tiles that are on their way while one is multiplied, and that one.
    """

    outputs: int
    inputs: int
    num_warps: int
    num_programs: int
    num_stages: int


TILING = Tiling(4, 1024, 4, 4, 3)
GATED_TILING = Tiling(4, 1024, 4, 2, 3)
LONG_TILING = Tiling(8, 512, 8, 2, 5)
"""From `LONG_INPUTS` on. All three are the best of sweeps over whole steps of Nano on an H200."""

LONG_INPUTS = 8192


@triton.jit
def _multiply(
    x_at,
    weight_at,
    out_at,
    num_outputs: tl.constexpr,
    num_inputs: tl.constexpr,
    outputs: tl.constexpr,
    inputs: tl.constexpr,
    gated: tl.constexpr,
    num_stages: tl.constexpr,
    overlaps: tl.constexpr,
):
    even: tl.constexpr = num_inputs % inputs == 0
    num_parts: tl.constexpr = (num_inputs + inputs - 1) // inputs
    kind = out_at.dtype.element_ty
    up_at = weight_at + num_outputs * num_inputs
    column = tl.arange(0, inputs)
    tile = tl.arange(0, outputs)
    num_tiles = tl.cdiv(tl.cdiv(num_outputs, outputs) - tl.program_id(0), tl.num_programs(0))
    await_inputs(overlaps)
    if num_parts == 1:
        whole = tl.load(x_at + column, column < num_inputs, 0).to(tl.float32)[None, :]
    total = tl.zeros((outputs, inputs), tl.float32)
    other_total = total
    for index in tl.range(0, num_tiles * num_parts, num_stages=num_stages):
        start = index % num_parts * inputs
        output = (tl.program_id(0) + index // num_parts * tl.num_programs(0)) * outputs + tile
        place = output.to(tl.int64)[:, None] * num_inputs + (start + column)[None, :]
        here = (output < num_outputs)[:, None]
        if not even:
            here = here & (start + column < num_inputs)[None, :]
        weight = tl.load(weight_at + place, here, 0)
        if num_parts == 1:
            x = whole
        else:
            x = tl.load(x_at + start + column, start + column < num_inputs, 0).to(tl.float32)[None, :]
        total += weight.to(tl.float32) * x
        if gated:
            other = tl.load(up_at + place, here, 0)
            other_total += other.to(tl.float32) * x
        if index % num_parts == num_parts - 1:
            out = tl.sum(total, 1).to(kind)
            if gated:
                gate = out.to(tl.float32)
                gate = (gate / (1 + tl.exp(-gate))).to(kind).to(tl.float32)
                out = (gate * tl.sum(other_total, 1).to(kind).to(tl.float32)).to(kind)
                other_total = tl.zeros((outputs, inputs), tl.float32)
            tl.store(out_at + output, out, output < num_outputs)
            total = tl.zeros((outputs, inputs), tl.float32)
    # Not before: the next kernel's programs would spread over the processors as these leave room, unevenly.
    admit_next(overlaps)


def _launch(x: Tensor, weight: Tensor, num_outputs: int, tiling: Tiling, *, gated: bool, overlaps: bool) -> Tensor:
    out = x.new_empty(1, num_outputs)
    num_programs = tiling.num_programs * _num_processors(x.device)
    _multiply[(min(num_programs, triton.cdiv(num_outputs, tiling.outputs)),)](
        x,
        weight,
        out,
        num_outputs,
        weight.shape[1],
        tiling.outputs,
        min(tiling.inputs, triton.next_power_of_2(weight.shape[1])),
        gated,
        tiling.num_stages,
        overlaps,
        num_warps=tiling.num_warps,
        **({"launch_pdl": True} if overlaps else {}),
    )
    return out


@cache
def _num_processors(device: torch.device) -> int:
    # Triton's interpreter runs kernels on a CPU, too.
    return torch.cuda.get_device_properties(device).multi_processor_count if device.type == "cuda" else 4


def _is_ours(layer: nn.Module, x: Tensor) -> bool:
    """One row, and not a layer with an adapter."""
    return type(layer) is nn.Linear and len(x) == 1


def product(layer: nn.Module, x: Tensor, *, overlaps: bool) -> Tensor:
    """`layer(x)` of rows [B, inputs] → [B, outputs]; `layer` has no bias."""
    if not _is_ours(layer, x):
        return layer(x)
    assert isinstance(layer, nn.Linear)
    assert layer.bias is None
    tiling = TILING if x.shape[1] < LONG_INPUTS else LONG_TILING
    return _launch(x, layer.weight, len(layer.weight), tiling, gated=False, overlaps=overlaps)


def feed_forward(layers: FeedForward, x: Tensor, *, overlaps: bool) -> Tensor:
    """`layers(x)` of rows [B, H]."""
    up = layers.up
    if layers.gated and _is_ours(up, x):
        assert isinstance(up, nn.Linear)
        inner = _launch(x, up.weight, len(up.weight) // 2, GATED_TILING, gated=True, overlaps=overlaps)
    else:
        inner = layers.activate(product(up, x, overlaps=overlaps))
    return product(layers.down, inner, overlaps=overlaps)


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
