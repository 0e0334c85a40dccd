"""Which clips a step sees, and as what: a function of the seed and the step alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache

import torch

from studio.tuning import VideoMode
from tuning.generator.clips import Clip
from tuning.generator.sequences import Draw
from tuning.orders import STRIDE, shuffled
from tuning.ranks import own_seed


class Drawer:
    """Each clip comes once before any comes again, in an order of its own each time.

    Args:
        modes: share of each; images and videos come as often as theirs say, evenly spread.
        dropout: share of sequences without their text.
    """

    def __init__(
        self, clips: Sequence[Clip], modes: Mapping[VideoMode, float], dropout: float, batch_size: int, seed: int
    ) -> None:
        self._images = [clip for clip in clips if clip.window.is_image]
        self._videos = [clip for clip in clips if not clip.window.is_image]
        self._modes: list[VideoMode] = [mode for mode, share in modes.items() if mode != "t2i" and share > 0]
        self._weights = torch.tensor([float(modes[mode]) for mode in self._modes])
        self._dropout, self._batch_size, self._seed = dropout, batch_size, own_seed(seed)
        share = modes.get("t2i", 0.0) / sum(modes.values())
        self._image_share = share if self._images and self._videos else float(bool(self._images))
        self._order = lru_cache(maxsize=4)(self._new_order)

    def draw(self, step: int) -> list[Draw]:
        """The sequences of a step."""
        return [self._draw(step * self._batch_size + place) for place in range(self._batch_size)]

    def _draw(self, place: int) -> Draw:
        dice = torch.Generator().manual_seed(self._seed * STRIDE + place)
        dropped = float(torch.rand((), generator=dice)) < self._dropout
        before = math.floor(self._image_share * place)
        if math.floor(self._image_share * (place + 1)) > before:
            return Draw(self._nth(self._images, before, 0), "t2i", dropped)
        mode = self._modes[int(torch.multinomial(self._weights, 1, generator=dice))]
        return Draw(self._nth(self._videos, place - before, 1), mode, dropped)

    def _nth(self, clips: Sequence[Clip], count: int, kind: int) -> Clip:
        turn, place = divmod(count, len(clips))
        return clips[self._order(len(clips), turn, kind)[place]]

    def _new_order(self, length: int, turn: int, kind: int) -> list[int]:
        return shuffled(length, self._seed, turn, kind, 2)
