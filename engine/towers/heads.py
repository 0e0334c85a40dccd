"""From a block's heads to what attention reads: queries, and keys and values in their buffers."""

from __future__ import annotations

from importlib.util import find_spec

import torch
from torch import Tensor

from engine.towers.block import Block
from engine.towers.rope import Rope

HAS_TRITON = find_spec("triton") is not None


def write_heads(block: Block, heads: Tensor, rope: Rope, slots: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Normalise and rotate queries and keys, and write keys and values where they belong.

    Args:
        heads: [S, (N + 2 K) * D], what `Block.heads` gives, or as many of each as an exchange has left.
        slots: int64 [S], the row of each token in `keys` and `values` [T, K, D].

    Returns:
        Rotated queries [S, N, D].
    """
    num_kv_heads, width = keys.shape[1:]
    num_heads = heads.shape[1] // width - 2 * num_kv_heads
    # Every query head has the same weights, so has every key head: where there are fewer, any of each will do.
    rows = slice(block.num_heads - num_heads, block.num_heads + num_kv_heads)
    norm = block.qk_norm
    if heads.is_cuda and HAS_TRITON and norm is not None and torch.version.hip is None:
        from engine.towers.kernels import can_write_heads, write_heads_on_gpu

        if can_write_heads(num_heads, num_kv_heads, width):
            return write_heads_on_gpu(heads, norm, rows, rope, slots, keys, values)
    qk, v = heads.unflatten(-1, (-1, width)).split([num_heads + num_kv_heads, num_kv_heads], 1)
    q, k = rope.rotate(qk if norm is None else norm(qk, rows)).split([num_heads, num_kv_heads], 1)
    keys.index_copy_(0, slots, k)
    values.index_copy_(0, slots, v)
    return q
