"""Kernels around FP8 attention, see `engine.towers.fp8_attention`: two that round, and one that joins.

The first finds the mean of the keys and the largest values, block by block of tokens; the second rounds. Compiled by
PyTorch, the three took 1.7 ms a call for 18,720 tokens; these take 0.3 (one H200).
"""

# Triton is there only beside PyTorch's CUDA builds, and pyright does not follow what its decorator makes of a function.
# pyright: reportMissingImports=false, reportIndexIssue=false, reportPossiblyUnboundVariable=false, reportMissingTypeStubs=false

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from engine.towers.fp8_linear import LARGEST, NEARLY_NOTHING

TOKENS = 64
"""Of a program."""


@triton.jit
def _measure(
    q_at,
    k_at,
    v_at,
    sums_at,
    largest_at,
    num_tokens,
    q_stride,
    k_stride,
    v_stride,
    num_kv: tl.constexpr,
    group: tl.constexpr,
    width: tl.constexpr,
    tokens: tl.constexpr,
):
    block, head, sequence = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    token = block * tokens + tl.arange(0, tokens)
    column = tl.arange(0, width)
    inside = (token < num_tokens)[:, None]
    row = token.to(tl.int64)[:, None]
    largest_q = tl.zeros((tokens, width), tl.float32)
    for member in tl.static_range(group):
        source = q_at + sequence.to(tl.int64) * q_stride + (row * num_kv * group + head * group + member) * width
        largest_q = tl.maximum(largest_q, tl.abs(tl.load(source + column[None, :], inside, 0).to(tl.float32)))
    place = (row * num_kv + head) * width + column[None, :]
    k = tl.load(k_at + sequence.to(tl.int64) * k_stride + place, inside, 0).to(tl.float32)
    v = tl.load(v_at + sequence.to(tl.int64) * v_stride + place, inside, 0).to(tl.float32)
    at = (sequence * tl.num_programs(0) + block) * num_kv + head
    tl.store(sums_at + at * width + column, tl.sum(k, 0))
    tl.store(largest_at + at * 3, tl.max(largest_q))
    tl.store(largest_at + at * 3 + 1, tl.max(tl.abs(k)))
    tl.store(largest_at + at * 3 + 2, tl.max(tl.abs(v)))


@triton.jit
def _round(
    q_at,
    k_at,
    v_at,
    mean_at,
    scale_at,
    rounded_q_at,
    rounded_k_at,
    rounded_v_at,
    shift_at,
    num_tokens,
    q_stride,
    k_stride,
    v_stride,
    softmax_scale,
    num_kv: tl.constexpr,
    group: tl.constexpr,
    width: tl.constexpr,
    tokens: tl.constexpr,
):
    block, head, sequence = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    token = block * tokens + tl.arange(0, tokens)
    column = tl.arange(0, width)
    inside = (token < num_tokens)[:, None]
    row = token.to(tl.int64)[:, None]
    pair = sequence * num_kv + head
    mean = tl.load(mean_at + pair * width + column)[None, :]
    q_scale, k_scale, v_scale = (
        tl.load(scale_at + pair * 3),
        tl.load(scale_at + pair * 3 + 1),
        tl.load(scale_at + pair * 3 + 2),
    )
    whole = sequence.to(tl.int64) * num_tokens * num_kv
    for member in tl.static_range(group):
        place = (row * num_kv * group + head * group + member) * width + column[None, :]
        q = tl.load(q_at + sequence.to(tl.int64) * q_stride + place, inside, 0).to(tl.float32)
        tl.store(rounded_q_at + whole * group * width + place, (q / q_scale).to(tl.float8e4nv), inside)
        number = (sequence * num_kv + head) * group + member
        tl.store(
            shift_at + number.to(tl.int64) * num_tokens + token, tl.sum(q * mean, 1) * softmax_scale, token < num_tokens
        )
    place = (row * num_kv + head) * width + column[None, :]
    k = tl.load(k_at + sequence.to(tl.int64) * k_stride + place, inside, 0).to(tl.float32) - mean
    tl.store(rounded_k_at + whole * width + place, (k / k_scale).to(tl.float8e4nv), inside)
    v = tl.load(v_at + sequence.to(tl.int64) * v_stride + place, inside, 0).to(tl.float32)
    tl.store(rounded_v_at + whole * width + place, (v / v_scale).to(tl.float8e4nv), inside)


def round_on_gpu(
    q: Tensor, k: Tensor, v: Tensor
) -> tuple[tuple[Tensor, Tensor], tuple[Tensor, Tensor], tuple[Tensor, Tensor], Tensor]:
    """See `engine.towers.fp8_attention.round_own`; the tokens of a sequence lie behind one another."""
    size, num_tokens, num_heads, width = q.shape
    assert all(tensor.stride()[1:] == (tensor.shape[2] * width, width, 1) for tensor in (q, k, v))
    num_kv = k.shape[2]
    blocks = triton.cdiv(num_tokens, TOKENS)
    sums = torch.empty(size, blocks, num_kv, width, device=q.device, dtype=torch.float32)
    largest = torch.empty(size, blocks, num_kv, 3, device=q.device, dtype=torch.float32)
    grid, strides = (blocks, num_kv, size), (q.stride(0), k.stride(0), v.stride(0))
    shape = (num_kv, num_heads // num_kv, width, TOKENS)
    _measure[grid](q, k, v, sums, largest, num_tokens, *strides, *shape, num_warps=4)
    mean = sums.sum(1) / num_tokens
    most = largest.amax(1)
    # No key is further from the mean than this; e4m3 is as fine for values that stay below its largest.
    most[..., 1] += mean.abs().amax(-1)
    scale = most.clamp_min(NEARLY_NOTHING) / LARGEST
    rounded_q, rounded_k, rounded_v = (
        torch.empty(tensor.shape, device=q.device, dtype=torch.float8_e4m3fn) for tensor in (q, k, v)
    )
    shift = torch.empty(size, num_heads, num_tokens, device=q.device, dtype=torch.float32)
    made = (rounded_q, rounded_k, rounded_v, shift)
    _round[grid](q, k, v, mean, scale, *made, num_tokens, *strides, width**-0.5, *shape, num_warps=4)
    q_scale, k_scale, v_scale = (part.contiguous() for part in scale.unbind(-1))
    return (rounded_q, q_scale), (rounded_k, k_scale), (rounded_v, v_scale), shift


@triton.jit
def _join(
    own_at,
    own_lse_at,
    shift_at,
    prompt_at,
    prompt_lse_at,
    joined_at,
    num_tokens,
    num_heads: tl.constexpr,
    width: tl.constexpr,
    tokens: tl.constexpr,
):
    block, head, sequence = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    token = block * tokens + tl.arange(0, tokens)
    column = tl.arange(0, width)
    here = token < num_tokens
    at = (sequence * num_heads + head).to(tl.int64) * num_tokens + token
    own_lse = tl.load(own_lse_at + at, here, 0) + tl.load(shift_at + at, here, 0)
    weight = tl.sigmoid(own_lse - tl.load(prompt_lse_at + at, here, 0))[:, None]
    row = (sequence.to(tl.int64) * num_tokens + token)[:, None] * num_heads + head
    place = row * width + column[None, :]
    own = tl.load(own_at + place, here[:, None], 0).to(tl.float32)
    prompt = tl.load(prompt_at + place, here[:, None], 0).to(tl.float32)
    tl.store(joined_at + place, (prompt + weight * (own - prompt)).to(joined_at.dtype.element_ty), here[:, None])


def join_on_gpu(own: Tensor, own_lse: Tensor, shift: Tensor, prompt: Tensor, prompt_lse: Tensor) -> Tensor:
    """See `engine.towers.fp8_attention.join`."""
    size, num_tokens, num_heads, width = own.shape
    joined = torch.empty(prompt.shape, device=prompt.device, dtype=prompt.dtype)
    lse = (own_lse.contiguous(), shift, prompt.contiguous(), prompt_lse.contiguous())
    grid = (triton.cdiv(num_tokens, TOKENS), num_heads, size)
    _join[grid](own.contiguous(), *lse, joined, num_tokens, num_heads, width, TOKENS, num_warps=4)
    return joined
