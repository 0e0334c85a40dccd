"""The prompts that were read last, so that several pictures of one prompt read it once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable

import torch

from engine.towers import OmniModel, Prefix

MAX_PROMPTS = 16

MAX_TOKENS = 8192
"""Of all kept prompts together: 1.2 GB for Nano, whose prefixes take 144 KiB a token."""


class PrefixStore:
    """Prefixes by their tokens, the least recently used given up first. One thread's own.

    Attributes:
        adapter: the active one; a prefix belongs to the adapter that it was read with.
    """

    def __init__(self, model: OmniModel) -> None:
        self.adapter: Hashable = None
        self._model = model
        self._kept: OrderedDict[tuple[Hashable, tuple[int, ...]], Prefix] = OrderedDict()

    def prefix(self, tokens: tuple[int, ...]) -> Prefix:
        """What the reasoner leaves of these tokens, read now or kept from before."""
        key = (self.adapter, tokens)
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        prefix = self._model.reasoner.prefill(torch.tensor(tokens, device=self._model.device))
        self._kept[key] = prefix
        while len(self._kept) > 1 and (len(self._kept) > MAX_PROMPTS or self._num_tokens() > MAX_TOKENS):
            self._kept.popitem(last=False)
        return prefix

    def _num_tokens(self) -> int:
        return sum(len(tokens) for _, tokens in self._kept)

    def clear(self) -> None:
        """Give all of them up."""
        self._kept.clear()
