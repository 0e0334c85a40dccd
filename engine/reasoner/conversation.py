"""A conversation on its way from a prompt to an answer."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import torch

from engine.reasoner.constraint import Constraint
from engine.reasoner.picking import Tally
from engine.reasoner.prompt import Prompt
from engine.reasoner.vision_encoder import VisionFeatures
from engine.towers import Cache
from studio.errors import StudioError
from studio.requests.reason import Reason

MAX_KEPT = 16

MAX_TOKENS = 16_384
"""Of all kept beginnings together: 2.4 GB for Nano, whose tokens take 144 KiB each."""


@dataclass(frozen=True, eq=False)
class Beginning:
    """A prompt that was read.

    Attributes:
        keys: of its tokens, int64 (see `Prompt`).
        cache: filled with it.
        adapter: that it was read with.
    """

    keys: np.ndarray
    cache: Cache
    adapter: object

    def num_shared(self, keys: np.ndarray, adapter: object) -> int:
        """Tokens at the beginning that it has in common with others."""
        return num_alike(self.keys, keys) if adapter == self.adapter else 0


def num_alike(one: np.ndarray, other: np.ndarray) -> int:
    """Keys at the beginning that two prompts have in common."""
    length = min(len(one), len(other))
    different = np.flatnonzero(one[:length] != other[:length])
    return int(different[0]) if len(different) else length


class SharedPrefixes:
    """Beginnings, the least recently used given up first. One thread's own."""

    def __init__(self) -> None:
        self._kept: list[Beginning] = []

    def longest(self, keys: np.ndarray, adapter: object) -> tuple[Cache, int] | None:
        """The kept conversation that shares most of its beginning with these keys, and how many tokens that is."""
        found = max(self._kept, key=lambda kept: kept.num_shared(keys, adapter), default=None)
        if found is None or not (length := found.num_shared(keys, adapter)):
            return None
        self._kept.remove(found)
        self._kept.append(found)
        return found.cache, length

    def keep(self, keys: np.ndarray, cache: Cache, adapter: object) -> None:
        """Keep a copy of what was read of these keys; beginnings that it contains are given up for it."""
        assert cache.length == len(keys)
        if len(keys) > MAX_TOKENS or any(kept.num_shared(keys, adapter) == len(keys) for kept in self._kept):
            return
        self._kept = [kept for kept in self._kept if kept.num_shared(keys, adapter) < len(kept.keys)]
        self._kept.append(Beginning(keys, cache.trimmed(), adapter))
        while len(self._kept) > MAX_KEPT or sum(len(kept.keys) for kept in self._kept) > MAX_TOKENS:
            self._kept.pop(0)

    def clear(self) -> None:
        """Give all of them up."""
        self._kept.clear()


class Answer:
    """Bytes in, text out: no half character, and nothing that may turn out to be a stop string.

    With the stop string "END", the pieces "the E", "N", "T" become "the ", "", "ENT".
    """

    def __init__(self, stop: Sequence[str] = ()) -> None:
        self.text = ""
        self.stopped = False
        self._stop = tuple(stop)
        self._held = ""
        self._taken = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")

    def write(self, spelling: bytes) -> None:
        """Add what a token says. After a stop string nothing is added."""
        self._add(self._decoder.decode(spelling))

    def close(self) -> None:
        """Nothing follows: what was held back is shown, and half a character as U+FFFD."""
        self._add(self._decoder.decode(b"", final=True))
        if not self.stopped:
            self.text += self._held
        self._held = ""

    def take(self) -> str:
        """What has come since the last time."""
        piece = self.text[self._taken :]
        self._taken = len(self.text)
        return piece

    def _add(self, piece: str) -> None:
        if self.stopped:
            return
        waiting = self._held + piece
        ends = [at for at in (waiting.find(stop) for stop in self._stop) if at >= 0]
        if ends:
            self.stopped, self._held = True, ""
            self.text += waiting[: min(ends)]
            return
        kept = max((_overlap(waiting, stop) for stop in self._stop), default=0)
        self._held = waiting[len(waiting) - kept :]
        self.text += waiting[: len(waiting) - kept]


def _overlap(text: str, stop: str) -> int:
    """Characters at the end of a text with which a stop string begins."""
    return next((size for size in range(min(len(stop) - 1, len(text)), 0, -1) if text.endswith(stop[:size])), 0)


FinishReason = Literal["stop", "length"]


@dataclass(frozen=True)
class Usage:
    """Tokens.

    Attributes:
        prompt_tokens: read, those of pictures and clips among them.
        completion_tokens: written, the one that ends the answer among them.
        cached_tokens: of the prompt, that were not read again.
    """

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int


@dataclass(frozen=True)
class TokenLogprob:
    """How likely a token was, by the model alone: before penalties, temperature and grammar.

    Attributes:
        spelling: its bytes, which need not be whole characters.
        logprob: natural logarithm.
        top: the likeliest tokens at its place, likeliest first.
    """

    token: int
    spelling: bytes
    logprob: float
    top: tuple[tuple[int, bytes, float], ...] = ()


@dataclass
class Conversation:
    """Made by `Engine.converse`, moved by `Engine.decode`; nobody else writes to it. To end it early, drop it.

    Attributes:
        budget: tokens that the answer may have: `max_tokens`, or fewer where the context leaves fewer.
        cache: of what has been read and written, the last token apart.
        adapter: that it was begun with.
        num_shared: tokens of the prompt that another conversation had read.
        tokens: of the answer so far.
        logprobs: of each of them, where they are asked for.
        dice: of its seed.
        chances: that its tokens were drawn with.
        seen: what was looked at and is not all read yet, by its index in the prompt.
        finish_reason: "stop" where the model, a stop string or the schema ended it; "length" at its budget.
        failure: why the answer cannot go on, though others do.
    """

    request: Reason
    prompt: Prompt
    budget: int
    cache: Cache
    answer: Answer
    constraint: Constraint | None
    tally: Tally | None
    dice: torch.Generator
    adapter: object = None
    num_shared: int = 0
    tokens: list[int] = field(default_factory=list[int])
    logprobs: list[TokenLogprob] = field(default_factory=list[TokenLogprob])
    chances: list[float] = field(default_factory=list[float])
    seen: dict[int, VisionFeatures] = field(default_factory=dict[int, "VisionFeatures"])
    finish_reason: FinishReason | None = None
    failure: StudioError | None = None

    @property
    def done(self) -> bool:
        """Whether the answer has ended, or failed."""
        return self.finish_reason is not None or self.failure is not None

    @property
    def reading(self) -> bool:
        """Whether some of the prompt is still to be read."""
        return self.cache.length < len(self.prompt.tokens)

    @property
    def text(self) -> str:
        """The answer so far, as far as it can be shown: whole characters, and no beginning of a stop string."""
        return self.answer.text

    def chance(self) -> float:
        """Uniform in 0..1, for the next token; the same until that is picked."""
        if len(self.chances) == len(self.tokens):
            self.chances.append(torch.rand((), generator=self.dice, dtype=torch.float64).item())
        return self.chances[-1]

    def take(self) -> str:
        """The text that has come since the last call."""
        return self.answer.take()

    @property
    def usage(self) -> Usage:
        """Tokens so far."""
        return Usage(len(self.prompt.tokens), len(self.tokens), self.num_shared)
