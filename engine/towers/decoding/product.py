"""One row times a matrix, in the time that reading the matrix takes; several rows are PyTorch's.

Programs stay for many tiles and have the next ones copied to shared memory while one is multiplied.
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
from engine.towers.decoding.overlap import admit_next, await_inputs


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
