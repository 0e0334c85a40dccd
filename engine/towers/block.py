"""One layer of one tower. Both towers are stacks of it; they differ in what their tokens attend to."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

import torch
from torch import Tensor, nn
from torch.nn.functional import silu

from engine.towers.fp8_linear import Fp8Linear, gate_rows
from engine.towers.rms_norm import RmsNorm
from engine.towers.rope import Rope
from engine.weights.config import ModelConfig


class FeedForward(nn.Module):
    """SiLU-gated (gate and up stacked in one matrix) or squared ReLU, as the configuration says."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.gated = config.family == "qwen"
        inner = config.intermediate_size
        self.up = nn.Linear(config.hidden_size, 2 * inner if self.gated else inner, bias=False)
        self.down = nn.Linear(inner, config.hidden_size, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """x [S, H] → [S, H]."""
        inner = self.up(x)
        if self.gated and isinstance(self.down, Fp8Linear) and self.down.rounds_inputs:
            return self.down.product(*gate_rows(inner), inner.dtype)
        return self.down(self.activate(inner))

    def activate(self, inner: Tensor) -> Tensor:
        """What `up` gives → what `down` takes."""
        if self.gated:
            gate, up = inner.chunk(2, -1)
            return silu(gate) * up
        return torch.relu(inner).square()


class Block(nn.Module):
    """A pre-norm transformer layer, cut where the towers differ: `project`, then attention by the tower, then `merge`.

    Args:
        normed_heads: queries and keys are normalised per head.
    """

    def __init__(self, config: ModelConfig, *, normed_heads: bool) -> None:
        super().__init__()
        hidden, width = config.hidden_size, config.head_dim
        self.num_heads, self.num_kv_heads, self.head_dim = config.num_attention_heads, config.num_key_value_heads, width
        self.attention_norm = RmsNorm.of(config, hidden)
        self.qkv = nn.Linear(hidden, (self.num_heads + 2 * self.num_kv_heads) * width, bias=False)
        self.qk_norm = RmsNorm.of(config, self.num_heads + self.num_kv_heads, width) if normed_heads else None
        self.out = nn.Linear(self.num_heads * width, hidden, bias=False)
        self.feed_forward_norm = RmsNorm.of(config, hidden)
        self.feed_forward = FeedForward(config)

    def project(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """x [S, H] → queries and keys stacked [S, N + K, D], normalised but not rotated; values [S, K, D]."""
        return self.divide(self.heads(x))

    def heads(self, x: Tensor) -> Tensor:
        """x [S, H] → queries, keys and values behind one another, [S, (N + 2 K) * D]."""
        return self.qkv(self.attention_norm(x))

    def divide(self, heads: Tensor) -> tuple[Tensor, Tensor]:
        """What `heads` gives → what `project` gives."""
        parts = heads.unflatten(-1, (-1, self.head_dim))
        qk, v = parts.split([self.num_heads + self.num_kv_heads, self.num_kv_heads], 1)
        return (qk if self.qk_norm is None else self.qk_norm(qk)), v

    def rotate(self, qk: Tensor, rope: Rope) -> tuple[Tensor, Tensor]:
        """Stacked queries and keys → rotated queries [S, N, D] and keys [S, K, D]."""
        q, k = rope.rotate(qk).split([self.num_heads, self.num_kv_heads], 1)
        return q, k

    def merge(self, x: Tensor, attended: Tensor) -> Tensor:
        """The residual stream x [S, H] after attention [S, N * D] and the feed-forward."""
        x = x + self.out(attended)
        return x + self.feed_forward(self.feed_forward_norm(x))

    @property
    def can_add_in_place(self) -> bool:
        """Whether `add` can stand for `merge`: both products that end in the residual stream are plain ones."""
        return type(self.out) is nn.Linear and type(self.feed_forward.down) is nn.Linear

    def widen(self, x: Tensor) -> Tensor:
        """The residual stream x [S, H] after attention → what the feed-forward's last product takes, [S, I]."""
        return self.feed_forward.activate(self.feed_forward.up(self.feed_forward_norm(x)))

    def add(self, x: Tensor, attended: Tensor, widen: Callable[[Block, Tensor], Tensor]) -> Tensor:
        """`merge` in place: products add to x as they end, and round once where a sum after them rounds twice.

        Args:
            widen: `Block.widen`, or what is compiled of it.
        """
        x.addmm_(attended, self.out.weight.t())
        return x.addmm_(widen(self, x), self.feed_forward.down.weight.t())


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
