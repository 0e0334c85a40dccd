"""Kernels of the generator's blocks, each one trip to memory.

`write_heads_on_gpu` goes from a block's heads to what attention reads: norms, rotation, and keys and values in their
buffers. `gate_rows` gates a feed-forward and rounds its rows to FP8.
"""

# Triton is there only beside PyTorch's CUDA builds, and pyright does not follow what its decorator makes of a function.
# pyright: reportMissingImports=false, reportIndexIssue=false, reportPossiblyUnboundVariable=false, reportMissingTypeStubs=false

from __future__ import annotations

import math

import torch
import triton
import triton.language as tl
from torch import Tensor

from engine.towers.rms_norm import RmsNorm
from engine.towers.rope import Rope

LARGEST = tl.constexpr(448.0)
NEARLY_NOTHING = tl.constexpr(1e-12)

TOKENS = 4
"""Of a program: with eight heads of 128 a thread holds 32 values."""

MAX_HEADS = 8


@triton.jit
def _write_heads(
    heads_at,
    weight_at,
    cos_at,
    sin_at,
    slots_at,
    q_at,
    keys_at,
    values_at,
    num_tokens,
    eps,
    num_q: tl.constexpr,
    num_k: tl.constexpr,
    width: tl.constexpr,
    group: tl.constexpr,
    tokens: tl.constexpr,
    rounds_before_weight: tl.constexpr,
):
    half: tl.constexpr = width // 2
    token = tl.program_id(0) * tokens + tl.arange(0, tokens)
    here = token < num_tokens
    first = tl.program_id(1) * group
    head = first + tl.arange(0, group)
    column = tl.arange(0, half)
    inside = here[:, None, None] & (column < half)[None, None, :]
    row = token.to(tl.int64)[:, None] * (num_q + 2 * num_k) + head[None, :]
    source = heads_at + row[:, :, None] * width + column[None, None, :]
    low = tl.load(source, inside, 0)
    high = tl.load(source + half, inside, 0)
    kind = low.dtype
    if first < num_q + num_k:
        wide_low, wide_high = low.to(tl.float32), high.to(tl.float32)
        square = tl.sum(wide_low * wide_low, 2) + tl.sum(wide_high * wide_high, 2)
        inverse = tl.rsqrt(square / width + eps)[:, :, None]
        weights = weight_at + head[:, None] * width + column[None, :]
        weight_low = tl.load(weights).to(tl.float32)[None, :, :]
        weight_high = tl.load(weights + half).to(tl.float32)[None, :, :]
        wide_low, wide_high = wide_low * inverse, wide_high * inverse
        if rounds_before_weight:
            wide_low, wide_high = wide_low.to(kind).to(tl.float32), wide_high.to(kind).to(tl.float32)
        normal_low = (wide_low * weight_low).to(kind).to(tl.float32)
        normal_high = (wide_high * weight_high).to(kind).to(tl.float32)
        angle = token[:, None, None] * width + column[None, None, :]
        cos_low = tl.load(cos_at + angle, inside, 0).to(tl.float32)
        cos_high = tl.load(cos_at + angle + half, inside, 0).to(tl.float32)
        sin_low = tl.load(sin_at + angle, inside, 0).to(tl.float32)
        sin_high = tl.load(sin_at + angle + half, inside, 0).to(tl.float32)
        turned_low = ((normal_low * cos_low).to(kind).to(tl.float32) + normal_high * sin_low).to(kind)
        turned_high = ((normal_high * cos_high).to(kind).to(tl.float32) + normal_low * sin_high).to(kind)
        if first < num_q:
            place = token.to(tl.int64)[:, None] * num_q + head[None, :]
            target = q_at + place[:, :, None] * width + column[None, None, :]
            tl.store(target, turned_low, inside)
            tl.store(target + half, turned_high, inside)
        else:
            key_slot = tl.load(slots_at + token, here, 0)
            key_place = key_slot[:, None] * num_k + (head - num_q)[None, :]
            key_target = keys_at + key_place[:, :, None] * width + column[None, None, :]
            tl.store(key_target, turned_low, inside)
            tl.store(key_target + half, turned_high, inside)
    else:
        value_slot = tl.load(slots_at + token, here, 0)
        value_place = value_slot[:, None] * num_k + (head - num_q - num_k)[None, :]
        value_target = values_at + value_place[:, :, None] * width + column[None, None, :]
        tl.store(value_target, low, inside)
        tl.store(value_target + half, high, inside)


def can_write_heads(num_heads: int, num_kv_heads: int, head_dim: int) -> bool:
    """Whether the kernel takes heads like these: Triton's blocks are powers of two."""
    group = _group(num_heads, num_kv_heads)
    return head_dim >= 32 and head_dim & (head_dim - 1) == 0 and group & (group - 1) == 0


def write_heads_on_gpu(
    heads: Tensor, norm: RmsNorm, rows: slice, rope: Rope, slots: Tensor, keys: Tensor, values: Tensor
) -> Tensor:
    """See `engine.towers.block.write_heads`; `rows` of the norm's weight are these heads'."""
    num_tokens, (num_k, width) = len(heads), keys.shape[1:]
    num_q = heads.shape[1] // width - 2 * num_k
    group = _group(num_q, num_k)
    q = torch.empty(num_tokens, num_q, width, device=heads.device, dtype=heads.dtype)
    _write_heads[(triton.cdiv(num_tokens, TOKENS), (num_q + 2 * num_k) // group)](
        heads,
        norm.weight[rows],
        rope.cos,
        rope.sin,
        slots,
        q,
        keys,
        values,
        num_tokens,
        norm.eps,
        num_q,
        num_k,
        width,
        group,
        TOKENS,
        norm.rounds_before_weight,
        num_warps=4,
    )
    return q


def _group(num_heads: int, num_kv_heads: int) -> int:
    return math.gcd(math.gcd(num_heads, num_kv_heads), MAX_HEADS)


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
