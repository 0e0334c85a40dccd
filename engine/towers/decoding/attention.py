"""A new token's attention: it is normalised, turned, written to its cache and answered, all in two kernels.

The tokens of a cache are split among programs, which attend to their parts alone; a second kernel puts the parts
together, each weighed by its share of the whole softmax (Flash-Decoding, Dao et al. 2023). Several tokens of one
conversation may be read at once: each sees those before it as their own programs make them, not in the cache, where
they arrive at the same time.
"""

# Triton is there only beside PyTorch's CUDA builds, and pyright does not follow what its decorator makes of a function.
# pyright: reportMissingImports=false, reportIndexIssue=false, reportPossiblyUnboundVariable=false, reportMissingTypeStubs=false

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from engine.towers.block import Block
from engine.towers.decoding.product import admit_next, await_inputs
from engine.towers.decoding.table import CAPACITY, EARLIER, KEYS, LENGTH, NUM_COLUMNS, VALUES
from engine.towers.rope import Rope

NUM_SPLITS = 16
"""Of each key-value head's tokens: 128 programs for one conversation with Nano, as many as the GPU has processors."""

TOKENS_AT_ONCE = 64

MIN_ROWS = 16
"""The least that a matrix unit multiplies; a key-value head's query heads are filled up to it."""

_LENGTH, _KEYS, _VALUES = tl.constexpr(LENGTH), tl.constexpr(KEYS), tl.constexpr(VALUES)
_CAPACITY, _EARLIER, _NUM_COLUMNS = tl.constexpr(CAPACITY), tl.constexpr(EARLIER), tl.constexpr(NUM_COLUMNS)


@triton.jit
def _normal(x, weight, scale, rounds_before_weight: tl.constexpr):
    """Heads [rows, D] as `RmsNorm` gives them, `scale` [rows] being one through their root mean square."""
    wide = x.to(tl.float32) * scale[:, None]
    if rounds_before_weight:
        wide = wide.to(x.dtype).to(tl.float32)
    return (weight.to(tl.float32) * wide).to(x.dtype)


@triton.jit(do_not_specialize=["layer"])
def _attend(
    heads_at,
    table_at,
    norm_at,
    cos_at,
    sin_at,
    parts_at,
    shares_at,
    layer: tl.int64,
    eps,
    scale,
    num_heads: tl.constexpr,
    num_kv_heads: tl.constexpr,
    width: tl.constexpr,
    rows: tl.constexpr,
    tokens_at_once: tl.constexpr,
    num_splits: tl.constexpr,
    normed: tl.constexpr,
    rounds_before_weight: tl.constexpr,
    overlaps: tl.constexpr,
):
    entry, kv_head, split = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    kind = heads_at.dtype.element_ty
    precision: tl.constexpr = "ieee" if kind == tl.float32 else "tf32"
    table_at += entry * _NUM_COLUMNS
    length, capacity = tl.load(table_at + _LENGTH), tl.load(table_at + _CAPACITY)
    earlier = tl.load(table_at + _EARLIER)
    first = (layer * num_kv_heads + kv_head) * capacity * width
    # What the compiler cannot know of an address: it may be read 16 bytes at a time.
    keys_at = tl.multiple_of(tl.load(table_at + _KEYS).to(tl.pointer_type(kind)), 16) + first
    values_at = tl.multiple_of(tl.load(table_at + _VALUES).to(tl.pointer_type(kind)), 16) + first
    size = tl.cdiv(tl.cdiv(length, num_splits), tokens_at_once) * tokens_at_once
    start = split * size
    end = tl.minimum(start + size, length)
    token, column = tl.arange(0, tokens_at_once), tl.arange(0, width)
    place = token[:, None] * width + column[None, :]
    # Tokens before this one were written by earlier steps, the table and the angles before the first kernel that
    # overlaps another: they are there already.
    k = tl.load(keys_at + start * width + place, (start + token < end)[:, None], 0)
    v = tl.load(values_at + start * width + place, (start + token < end)[:, None], 0)
    cos = tl.load(cos_at + entry * width + column).to(tl.float32)
    sin = tl.load(sin_at + entry * width + column).to(tl.float32)
    # One row for each query head of the group, and behind them one for the key.
    group: tl.constexpr = num_heads // num_kv_heads
    row = tl.arange(0, rows)
    head = tl.where(row < group, kv_head * group + row, num_heads + kv_head)
    here = (row <= group)[:, None]
    in_head = head[:, None] * width + column[None, :]
    in_swapped = head[:, None] * width + ((column + width // 2) % width)[None, :]
    if normed:
        weight, other_weight = tl.load(norm_at + in_head, here, 0), tl.load(norm_at + in_swapped, here, 0)
    admit_next(overlaps)
    await_inputs(overlaps)
    heads_at += entry * (num_heads + 2 * num_kv_heads) * width
    x, other = tl.load(heads_at + in_head, here, 0), tl.load(heads_at + in_swapped, here, 0)
    if normed:
        square = x.to(tl.float32) * x.to(tl.float32)
        root = tl.rsqrt(tl.sum(square, 1) / width + eps)
        x = _normal(x, weight, root, rounds_before_weight)
        other = _normal(other, other_weight, root, rounds_before_weight)
    # As `Rope.rotate` rounds.
    straight = (x.to(tl.float32) * cos[None, :]).to(kind).to(tl.float32)
    q = (straight + other.to(tl.float32) * sin[None, :]).to(kind)
    best = tl.full((rows,), -float("inf"), tl.float32)
    share = tl.zeros((rows,), tl.float32)
    out = tl.zeros((rows, width), tl.float32)
    if split == num_splits:
        # The token itself. Nobody reads its place in the cache in this kernel.
        own_k = tl.sum(tl.where((row == group)[:, None], q.to(tl.float32), 0), 0)
        own_v = tl.load(heads_at + (num_heads + num_kv_heads + kv_head) * width + column)
        own_place = (length + earlier) * width + column
        tl.store(keys_at + own_place, own_k.to(kind))
        tl.store(values_at + own_place, own_v)
        best = tl.sum(q.to(tl.float32) * own_k[None, :], 1) * scale
        share += 1
        out += own_v.to(tl.float32)[None, :]
        key_column = (num_heads + kv_head) * width
        back = earlier
        while back > 0:
            before_at = heads_at - back * (num_heads + 2 * num_kv_heads) * width
            before = tl.load(before_at + key_column + column)[None, :]
            before_swapped = tl.load(before_at + key_column + (column + width // 2) % width)[None, :]
            if normed:
                before_square = before.to(tl.float32) * before.to(tl.float32)
                before_root = tl.rsqrt(tl.sum(before_square, 1) / width + eps)
                key_weight = tl.load(norm_at + key_column + column)[None, :]
                swapped_weight = tl.load(norm_at + key_column + (column + width // 2) % width)[None, :]
                before = _normal(before, key_weight, before_root, rounds_before_weight)
                before_swapped = _normal(before_swapped, swapped_weight, before_root, rounds_before_weight)
            before_cos = tl.load(cos_at + (entry - back) * width + column).to(tl.float32)
            before_sin = tl.load(sin_at + (entry - back) * width + column).to(tl.float32)
            before_straight = (before.to(tl.float32) * before_cos[None, :]).to(kind).to(tl.float32)
            before_k = (before_straight + before_swapped.to(tl.float32) * before_sin[None, :]).to(kind)
            before_v = tl.load(before_at + key_column + num_kv_heads * width + column).to(tl.float32)
            before_score = tl.sum(q.to(tl.float32) * before_k.to(tl.float32), 1) * scale
            before_best = tl.maximum(best, before_score)
            before_likely = tl.exp(before_score - before_best)
            before_kept = tl.exp(best - before_best)
            share = share * before_kept + before_likely
            out = out * before_kept[:, None] + before_likely[:, None] * before_v[None, :]
            best = before_best
            back -= 1
    while start < end:
        behind = start + tokens_at_once
        next_k = tl.load(keys_at + behind * width + place, (behind + token < end)[:, None], 0)
        next_v = tl.load(values_at + behind * width + place, (behind + token < end)[:, None], 0)
        scores = tl.dot(q, tl.trans(k), input_precision=precision) * scale
        scores = tl.where((start + token < end)[None, :], scores, -float("inf"))
        new_best = tl.maximum(best, tl.max(scores, 1))
        likely = tl.exp(scores - new_best[:, None])
        kept = tl.exp(best - new_best)
        share = share * kept + tl.sum(likely, 1)
        out = out * kept[:, None] + tl.dot(likely.to(kind), v, input_precision=precision)
        best, start, k, v = new_best, behind, next_k, next_v
    place = (entry * num_heads + head) * (num_splits + 1) + split
    tl.store(parts_at + place[:, None] * width + column[None, :], out, (row < group)[:, None])
    tl.store(shares_at + 2 * place, best, row < group)
    tl.store(shares_at + 2 * place + 1, share, row < group)


@triton.jit
def _combine(
    parts_at,
    shares_at,
    out_at,
    width: tl.constexpr,
    num_splits: tl.constexpr,
    places: tl.constexpr,
    overlaps: tl.constexpr,
):
    admit_next(overlaps)
    await_inputs(overlaps)
    head = tl.program_id(0)
    split, column = tl.arange(0, places), tl.arange(0, width)
    here = split <= num_splits
    split += head * (num_splits + 1)
    best = tl.load(shares_at + 2 * split, here, -float("inf"))
    # The last part is the token itself, so one of them is finite.
    factor = tl.exp(best - tl.max(best))
    whole = tl.sum(tl.load(shares_at + 2 * split + 1, here, 0) * factor)
    parts = tl.load(parts_at + split[:, None] * width + column[None, :], here[:, None], 0)
    out = tl.sum(parts * factor[:, None], 0) / whole
    tl.store(out_at + head * width + column, out.to(out_at.dtype.element_ty))


def attend(block: Block, layer: int, heads: Tensor, table: Tensor, rope: Rope, *, overlaps: bool) -> Tensor:
    """Write a layer's keys and values of a token of each row to their caches, and attend to all in them before it.

    Args:
        heads: [B, (N + 2K) * D], as `block.qkv` gives them.
        table: [B, 7], see `table`.
        rope: tables of the B tokens.

    Returns:
        [B, N * D].
    """
    num_heads, num_kv_heads, width = block.num_heads, block.num_kv_heads, block.head_dim
    size = len(heads)
    parts = heads.new_empty(size, num_heads, NUM_SPLITS + 1, width, dtype=torch.float32)
    shares = heads.new_empty(size, num_heads, NUM_SPLITS + 1, 2, dtype=torch.float32)
    out = heads.new_empty(size, num_heads * width)
    norm = block.qk_norm
    launch = {"launch_pdl": True} if overlaps else {}
    _attend[(size, num_kv_heads, NUM_SPLITS + 1)](
        heads,
        table,
        heads if norm is None else norm.weight,
        rope.cos,
        rope.sin,
        parts,
        shares,
        layer,
        0.0 if norm is None else norm.eps,
        width**-0.5,
        num_heads,
        num_kv_heads,
        width,
        max(MIN_ROWS, triton.next_power_of_2(num_heads // num_kv_heads + 1)),
        TOKENS_AT_ONCE,
        NUM_SPLITS,
        norm is not None,
        norm is not None and norm.rounds_before_weight,
        overlaps,
        num_warps=4,
        **launch,
    )
    _combine[(size * num_heads,)](
        parts, shares, out, width, NUM_SPLITS, 2 * NUM_SPLITS, overlaps, num_warps=4, **launch
    )
    return out
