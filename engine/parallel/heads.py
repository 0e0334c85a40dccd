"""Tokens for heads: the exchange around attention that lets each rank hold only a part of the tokens.

Attention needs every token of a sequence, but no head needs another one. So before it each rank gives away all heads
but its own and gets its own heads of all tokens, and behind it everything goes back. What is exchanged are the pack's
tokens behind one another, whatever sequences they belong to; if they do not divide by the number of ranks, the last
rank has rows of padding, which are cut off before attention and seen by nothing.
"""

from __future__ import annotations

from torch import Tensor
from torch.nn.functional import pad

from engine.parallel.group import Ring
from engine.towers import Prefix


class HeadExchange:
    """An `Exchange` of a pass.

    Args:
        ring: the ranks that share the pass.
        num_tokens: S, of all of them together, without padding.
        prefix: one of the pack's, with all heads.
    """

    def __init__(self, ring: Ring, num_tokens: int, prefix: Prefix) -> None:
        self.ring = ring
        self._num_tokens = num_tokens
        self._num_kv_heads, self._width = prefix.keys.shape[2:]

    def heads(self, heads: Tensor) -> Tensor:
        """heads [s, (N + 2 K) * D] of this rank's tokens → [S, (N / P + 2 max(K / P, 1)) * D] of all tokens."""
        size, num_kv_heads = self.ring.size, self._num_kv_heads
        apart = heads.unflatten(1, (-1, self._width))
        kinds = apart.split([apart.shape[1] - 2 * num_kv_heads, num_kv_heads, num_kv_heads], 1)
        by_rank = [_by_rank(kind, size) for kind in kinds]
        counts = [kind.shape[2] for kind in by_rank]
        sent = heads.new_empty(size, len(heads), sum(counts), self._width)
        for place, kind in zip(sent.split(counts, 2), by_rank, strict=True):
            place.copy_(kind.transpose(0, 1))
        return self.ring.trade(sent).flatten(0, 1)[: self._num_tokens].flatten(1)

    def tokens(self, attended: Tensor) -> Tensor:
        """[S, N / P * D] of this rank's heads → [s, N * D] of its tokens."""
        size = self.ring.size
        missing = -len(attended) % size
        whole = pad(attended, (0, 0, 0, missing)) if missing else attended
        return self.ring.trade(whole.unflatten(0, (size, -1)).contiguous()).transpose(0, 1).flatten(1)


def _by_rank(x: Tensor, size: int) -> Tensor:
    """x [s, heads, D] → [s, P, heads / P, D]; of fewer heads than ranks, several ranks get the same one."""
    repeats = max(size // x.shape[1], 1)
    if repeats > 1:
        x = x.repeat_interleave(repeats, 1)
    return x.unflatten(1, (size, -1))


def own_heads(prefix: Prefix, ring: Ring) -> Prefix:
    """A prompt's keys and values of the heads that are this rank's; a view of them."""
    num_heads = prefix.keys.shape[2]
    first = ring.place * num_heads // ring.size
    own = slice(first, first + max(num_heads // ring.size, 1))
    return Prefix(prefix.keys[:, :, own], prefix.values[:, :, own])
