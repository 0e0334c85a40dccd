"""Prompts for the generator, read together in one pass of the reasoner.

A pass of few tokens ends sooner than a processor starts its kernels one by one, so on a GPU it is recorded. A recording
serves any two prompts that come to about as many tokens: behind them lies a third of padding, which nobody keeps.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Hashable, Sequence
from functools import partial
from itertools import accumulate

import torch
from torch import Tensor

from engine.towers.attention_kernels import Ragged, pick_kernel
from engine.towers.packing import Prefix
from engine.towers.reasoner import Reasoner
from engine.towers.recording import Recording, RecordingPool
from engine.towers.rope import Rope, rope_tables

BUCKET = 256
"""A recorded pass has a multiple of so many tokens."""

RECORDED_TOKENS = 1536
"""Up to this a pass is recorded: longer ones keep a GPU busy for as long as their kernels take to start."""

RECORDED_PROMPTS = 2
"""At most, with those of a guided request; one alone leaves the second empty."""

RECORDED_AT = 2
"""The pass of a bucket that is recorded: the ones before it compile what it needs."""

MAX_KEPT = RECORDED_TOKENS // BUCKET
"""Recordings, one of each bucket: prompts of all lengths replace none. Their keys and values are 0.8 GB of Nano."""


class PromptReader:
    """Reads prompts. One thread's own."""

    def __init__(self, reasoner: Reasoner) -> None:
        self._reasoner = reasoner
        self._recorded: OrderedDict[Hashable, _RecordedPass] = OrderedDict()
        self._num_passes = Counter[Hashable]()
        self._pool: RecordingPool | None = None

    def read(self, prompts: Sequence[Sequence[int]], adapter: Hashable = None) -> list[Prefix]:
        """What the reasoner leaves of each of these prompts.

        Args:
            prompts: their tokens.
            adapter: the active one; a pass that was recorded with another is not used.
        """
        weight = self._reasoner.embed_tokens.weight
        lengths = [len(tokens) for tokens in prompts]
        together = torch.tensor([token for tokens in prompts for token in tokens], device=weight.device)
        x = self._reasoner.embed_tokens(together)
        recorded = self._recording(x, len(prompts), adapter)
        if recorded is None:
            prefixes = self._reasoner.prefill(x, _rope(self._reasoner, lengths), lengths)
        else:
            prefixes = recorded.run(x, lengths)
        # A copy of each where there are several, so that one that is given up frees its memory.
        parts = [part.contiguous() for part in prefixes[:, :, : len(x)].split(lengths, 2)]
        return [Prefix(keys, values) for keys, values in parts]

    def forget(self) -> None:
        """Give the recordings up."""
        self._recorded.clear()
        self._num_passes.clear()
        self._pool = None

    def _recording(self, x: Tensor, num_prompts: int, adapter: Hashable) -> _RecordedPass | None:
        """The recorded pass for embeddings x [S, H]; none where it is not worth it, or not yet."""
        room = -(-len(x) // BUCKET) * BUCKET
        kernel = pick_kernel(x.device, x.dtype, [room], self._reasoner.config.head_dim)
        if kernel == "plain" or self._reasoner.streams or num_prompts > RECORDED_PROMPTS or room > RECORDED_TOKENS:
            return None
        key = (room, adapter)
        self._num_passes[key] += 1
        if key not in self._recorded:
            if self._num_passes[key] < RECORDED_AT:
                return None
            self._pool = self._pool or RecordingPool(x.device)
            while len(self._recorded) >= MAX_KEPT:
                self._recorded.popitem(last=False)
            self._recorded[key] = _RecordedPass(self._reasoner, x.new_zeros(room, x.shape[1]), self._pool)
        self._recorded.move_to_end(key)
        return self._recorded[key]


class _RecordedPass:
    """A pass over up to `RECORDED_PROMPTS` prompts, and padding behind them.

    Args:
        x: [room, H], of any values.
    """

    def __init__(self, reasoner: Reasoner, x: Tensor, pool: RecordingPool) -> None:
        self._reasoner = reasoner
        self._room = len(x)
        ends = torch.zeros(RECORDED_PROMPTS + 2, dtype=torch.int32, device=x.device)
        used = torch.zeros(RECORDED_PROMPTS + 1, dtype=torch.int32, device=x.device)
        self._where = Ragged(ends, ends, used, self._room, self._room)
        self._rope = _rope(reasoner, [self._room])
        self._fill([self._room])
        compute = partial(reasoner.prefill, rope=self._rope, where=self._where)
        compute(x)  # compiles the kernels that only this one needs
        self._recording = Recording(compute, x, reasoner, pool)

    def run(self, x: Tensor, lengths: Sequence[int]) -> Tensor:
        """x [S, H] of prompts of these lengths → [2, L, room, K, D]."""
        self._fill(lengths)
        return self._recording.run(torch.nn.functional.pad(x, (0, 0, 0, self._room - len(x))))

    def _fill(self, lengths: Sequence[int]) -> None:
        """Say where prompts of these lengths and the padding lie."""
        sizes = [*lengths, *[0] * (RECORDED_PROMPTS - len(lengths)), self._room - sum(lengths)]
        self._where.used.copy_(torch.tensor(sizes, dtype=torch.int32))
        self._where.first_q.copy_(torch.tensor([0, *accumulate(sizes)], dtype=torch.int32))
        for table, filled in zip(self._rope, _rope(self._reasoner, sizes), strict=True):
            table.copy_(filled)


def _rope(reasoner: Reasoner, lengths: Sequence[int]) -> Rope:
    """Tables of prompts behind one another, each from 0 on."""
    weight = reasoner.embed_tokens.weight
    places = torch.cat([torch.arange(length, dtype=torch.float32) for length in lengths])
    return rope_tables(reasoner.config, places.to(weight.device).expand(3, -1), weight.dtype)
