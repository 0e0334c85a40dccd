"""Which clips a step sees, and as what: a function of the seed and the step alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import torch

from studio.tuning import VideoMode
from tuning.generator.clips import Clip
from tuning.generator.sequences import TRANSFERS, Draw
from tuning.orders import Turns
from tuning.ranks import own_seed


class Drawer:
    """Each clip comes once before any comes again, in an order of its own each time.

    Args:
        modes: share of each; images and videos come as often as theirs say, evenly spread.
        dropout: share of sequences without their text, and of transfers without their control.
    """

    def __init__(
        self, clips: Sequence[Clip], modes: Mapping[VideoMode, float], dropout: float, batch_size: int, seed: int
    ) -> None:
        self._images = [clip for clip in clips if clip.window.is_image]
        self._videos = [clip for clip in clips if not clip.window.is_image]
        self._modes: list[VideoMode] = [mode for mode, share in modes.items() if mode != "t2i" and share > 0]
        self._weights = torch.tensor([float(modes[mode]) for mode in self._modes])
        self._dropout, self._batch_size, self._turns = dropout, batch_size, Turns(own_seed(seed))
        share = modes.get("t2i", 0.0) / sum(modes.values())
        self._image_share = share if self._images and self._videos else float(bool(self._images))

    def draw(self, step: int) -> list[Draw]:
        """The sequences of a step."""
        return [self._draw(step * self._batch_size + place) for place in range(self._batch_size)]

    def _draw(self, place: int) -> Draw:
        generator = self._turns.generator(place)
        dropped = float(torch.rand((), generator=generator)) < self._dropout
        before = math.floor(self._image_share * place)
        if math.floor(self._image_share * (place + 1)) > before:
            return Draw(self._nth(self._images, before, 0), "t2i", dropped)
        mode = self._modes[int(torch.multinomial(self._weights, 1, generator=generator))]
        clip = self._nth(self._videos, place - before, 1)
        if mode not in TRANSFERS:
            return Draw(clip, mode, dropped)
        without = float(torch.rand((), generator=generator)) < self._dropout
        return Draw(clip, mode, dropped, None if without else TRANSFERS[mode])

    def _nth(self, clips: Sequence[Clip], count: int, kind: int) -> Clip:
        return clips[self._turns.nth(len(clips), count, kind)]
