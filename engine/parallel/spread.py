"""A pass of the generator, divided among ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

import torch
from torch import Tensor
from torch.nn.functional import pad

from engine.memory import ShardedBlocks
from engine.parallel.group import RankGroup, Ring
from engine.towers import Generator, Pack, Prefix


@dataclass(frozen=True)
class Layout:
    """So many groups of so many ranks; rank r is number `r % shards` of group `r // shards`.

    Attributes:
        groups: they share the sequences of a pass among them.
        shards: ranks of each group; they share the tokens of the group's sequences.
    """

    groups: int
    shards: int

    @property
    def num_ranks(self) -> int:
        """Ranks that take part."""
        return self.groups * self.shards

    @classmethod
    def over(cls, num_ranks: int, num_sequences: int) -> Layout:
        """The layout with the fewest exchanges that gives every rank the same number of sequences or of tokens.

        Two branches on four ranks are two groups of two; the three of a transfer share their tokens among all four.
        """
        groups = math.gcd(num_ranks, num_sequences)
        return cls(groups, num_ranks // groups)


@dataclass(frozen=True)
class Part:
    """What one group has of a pass: consecutive sequences, and their tokens.

    Attributes:
        sequences: (first, behind the last) of the pack's.
        tokens: (first, behind the last) of the pack's.
    """

    sequences: tuple[int, int]
    tokens: tuple[int, int]

    @property
    def num_tokens(self) -> int:
        """Tokens of its sequences."""
        return self.tokens[1] - self.tokens[0]

    def shard_length(self, shards: int) -> int:
        """Tokens of each of its ranks; the last ones may be padding: 10 tokens on 4 ranks are 3, 3, 3 and 1."""
        return math.ceil(self.num_tokens / shards)


def parts(lengths: Sequence[int], groups: int) -> list[Part]:
    """The sequences of a pack in so many runs of the same number."""
    assert len(lengths) % groups == 0
    each = len(lengths) // groups
    firsts = range(0, len(lengths) + 1, each)
    ends = [0, *accumulate(lengths)]
    return [Part((first, last), (ends[first], ends[last])) for first, last in pairwise(firsts)]


class HeadExchange:
    """Tokens for heads: the exchange around attention that lets each rank hold only a part of the tokens.

    Attention needs every token of a sequence, but no head needs another one. So before it each rank gives away all
    heads but its own and gets its own heads of all tokens, and behind it everything goes back. What is exchanged are
    the pack's tokens behind one another, whatever sequences they belong to; if they do not divide by the number of
    ranks, the last rank has rows of padding, which are cut off before attention and seen by nothing.

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


class Spread:
    """Passes over ranks: called on every one of them with the same tokens, it gives every one all outputs.

    What is exchanged at a pass's end are output tokens [S, H], not velocities, so that it need not know what they stand
    for: 153 MB a branch of a clip at 480p, which takes 0.7 of a step's 845 ms between two H200s.

    Args:
        generator: it makes a pass on this rank alone.
    """

    def __init__(self, generator: Generator, group: RankGroup) -> None:
        self._generator = generator
        self._group = group
        self._whole: Pack | None = None
        self._shard: Pack | None = None

    def __call__(self, x: Tensor, pack: Pack, layout: Layout) -> Tensor:
        """x [S, H], the embedded tokens of all sequences → [S, H].

        Raises:
            EngineLost: a rank did not answer.
        """
        shards = layout.shards
        all_parts = parts(pack.lengths, layout.groups)
        part = all_parts[self._group.rank // shards]
        x, own = x[slice(*part.tokens)], pack.part(*part.sequences)
        if shards > 1:
            ring = self._group.ring(shards)
            x = _shard(x, ring.place, part.shard_length(shards))
            own = self._sharded(own, ring)
        out = self._generator(x, own)
        self._lend(pack, own, all_parts)
        most = max(part.shard_length(shards) for part in all_parts)
        collected = self._group.ring(layout.num_ranks).collect(pad(out, (0, 0, 0, most - len(out))))
        by_group = collected.unflatten(0, (-1, shards))  # [groups, shards, most, H]
        return torch.cat(
            [
                rows[:, : part.shard_length(shards)].flatten(0, 1)[: part.num_tokens]
                for rows, part in zip(by_group, all_parts, strict=True)
            ]
        )

    def _lend(self, pack: Pack, own: Pack, all_parts: Sequence[Part]) -> None:
        """Where weights are divided: as long as another group makes more passes than this one, it needs this one's."""
        blocks = self._generator.blocks
        if not isinstance(blocks, ShardedBlocks) or own.exchange is not None:
            return
        most = max(len(self._generator.passes(pack.part(*part.sequences))) for part in all_parts)
        for _ in range(most - len(self._generator.passes(own))):
            blocks.lend()

    def _sharded(self, pack: Pack, ring: Ring) -> Pack:
        """A pack as this rank computes it. The last one is kept: the steps of a run differ in nothing but precision."""
        if self._whole is None or self._shard is None or not _is_same(self._whole, pack, ring, self._shard):
            self._whole = pack
            self._shard = replace(
                pack,
                prefixes=tuple(own_heads(prefix, ring) for prefix in pack.prefixes),
                exchange=HeadExchange(ring, sum(pack.lengths), pack.prefixes[0]),
            )
        return replace(self._shard, precise=pack.precise)


def _is_same(known: Pack, pack: Pack, ring: Ring, shard: Pack) -> bool:
    assert isinstance(shard.exchange, HeadExchange)
    same_size = shard.exchange.ring.size == ring.size and known.lengths == pack.lengths
    pairs = [*zip(known.prefixes, pack.prefixes, strict=False), *zip(known.ropes, pack.ropes, strict=False)]
    return same_size and known.averages == pack.averages and all(one is other for one, other in pairs)


def _shard(rows: Tensor, place: int, length: int) -> Tensor:
    """Rows `place * length` and on, so many; behind the last one zeros."""
    own = rows[place * length : (place + 1) * length]
    missing = length - len(own)
    return torch.cat([own, rows.new_zeros((missing, *rows.shape[1:]))]) if missing else own
