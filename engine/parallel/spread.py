"""A pass of the generator, divided among ranks."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor
from torch.nn.functional import pad

from engine.parallel.group import RankGroup, Ring
from engine.parallel.heads import HeadExchange, own_heads
from engine.parallel.layout import Layout, parts
from engine.sampling import Evaluate
from engine.towers import Pack


class Spread:
    """Passes over ranks: called on every one of them with the same tokens, it gives every one all outputs.

    What is exchanged at a pass's end are output tokens [S, H], not velocities, so that it need not know what they stand
    for: 153 MB a branch of a clip at 480p, which takes 0.7 of a step's 845 ms between two H200s.

    Args:
        evaluate: a pass, on this rank alone.
    """

    def __init__(self, evaluate: Evaluate, group: RankGroup) -> None:
        self._evaluate = evaluate
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
        out = self._evaluate(x, own)
        most = max(part.shard_length(shards) for part in all_parts)
        collected = self._group.ring(layout.num_ranks).collect(pad(out, (0, 0, 0, most - len(out))))
        by_group = collected.unflatten(0, (-1, shards))  # [groups, shards, most, H]
        return torch.cat(
            [
                rows[:, : part.shard_length(shards)].flatten(0, 1)[: part.num_tokens]
                for rows, part in zip(by_group, all_parts, strict=True)
            ]
        )

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
