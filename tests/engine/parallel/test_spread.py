"""Tokens for heads and back, among ranks that are threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
import torch
from torch import Tensor

from engine.parallel.spread import HeadExchange, own_heads
from engine.towers import Prefix


class Meeting:
    """Where threads leave what they trade."""

    def __init__(self, size: int) -> None:
        self.barrier = Barrier(size, timeout=60)
        self.left: dict[int, Tensor] = {}


class FakeRing:
    def __init__(self, meeting: Meeting, size: int, place: int) -> None:
        self.meeting, self.size, self.place = meeting, size, place

    def trade(self, sent: Tensor) -> Tensor:
        self.meeting.left[self.place] = sent
        self.meeting.barrier.wait()
        received = torch.stack([self.meeting.left[place][self.place] for place in range(self.size)])
        self.meeting.barrier.wait()
        return received


@pytest.mark.parametrize("num_kv_heads", [1, 2, 4, 8])
@pytest.mark.parametrize("num_tokens", [8, 9, 11])
def test_every_rank_gets_its_heads_of_every_token_and_gives_back_what_they_saw(num_tokens, num_kv_heads):
    size, num_heads, width = 4, 8, 3
    dice = torch.Generator().manual_seed(0)
    q, k, v = (
        torch.randn(num_tokens, heads, width, generator=dice) for heads in (num_heads, num_kv_heads, num_kv_heads)
    )
    length = -(-num_tokens // size)
    padded = [torch.cat([x, x.new_full((size * length - num_tokens, *x.shape[1:]), torch.nan)]) for x in (q, k, v)]
    meeting = Meeting(size)

    prefix = Prefix(*torch.empty(2, 1, 5, num_kv_heads, width))

    def one_rank(place: int) -> tuple[tuple[Tensor, ...], Tensor]:
        exchange = HeadExchange(FakeRing(meeting, size, place), num_tokens, prefix)
        own = torch.cat([x[place * length : (place + 1) * length] for x in padded], 1)
        seen = exchange.heads(own.flatten(1)).unflatten(1, (-1, width))
        left = max(num_kv_heads // size, 1)
        q, k, v = seen.split([num_heads // size, left, left], 1)
        return (q, k, v), exchange.tokens(q.flatten(1))

    with ThreadPoolExecutor(size) as pool:
        results = list(pool.map(one_rank, range(size)))
    for place, ((own_q, own_k, own_v), _) in enumerate(results):
        assert torch.equal(own_q, q[:, place * 2 : place * 2 + 2])
        first = place * num_kv_heads // size
        last = first + max(num_kv_heads // size, 1)
        assert torch.equal(own_k, k[:, first:last])
        assert torch.equal(own_v, v[:, first:last])
        # The key-value head that each query head reads is the one it reads on a single rank.
        group = num_heads // num_kv_heads
        read = [first + index // (2 // own_k.shape[1]) for index in range(2)]
        assert read == [(place * 2 + index) // group for index in range(2)]
    back = torch.cat([tokens for _, tokens in results])
    assert torch.equal(back[:num_tokens], q.flatten(1))
    assert not back[num_tokens:].any()


def test_a_prompt_is_cut_by_heads_as_its_tokens_are():
    keys = torch.arange(2 * 5 * 8 * 3.0).view(2, 5, 8, 3)
    prefix = Prefix(keys, -keys)
    cut = [own_heads(prefix, FakeRing(Meeting(4), 4, place)) for place in range(4)]
    assert torch.equal(torch.cat([part.keys for part in cut], 2), keys)
    assert torch.equal(torch.cat([part.values for part in cut], 2), -keys)
    assert cut[0].num_tokens == 5
