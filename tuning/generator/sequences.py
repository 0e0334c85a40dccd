"""From clips to batches: the words that a request would read, runs of tokens, and what of them is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from engine.planning import Setting, VisionSegment
from engine.planning.video import image_text, video_text
from studio.requests.frames import latent_frames
from studio.tuning import VideoMode
from tuning.flow.batch import Batch, TokenRun
from tuning.generator.clips import Clip

KEPT: dict[VideoMode, int] = {"t2i": 0, "t2v": 0, "i2v": 1, "v2v": 2}
"""Latent frames at the start that are given (report, 4.2.1); two are five frames."""

KEPT_PROMPTS = 16_384
"""Captions whose tokens stay in memory: of 1,000 tokens each has 8 kB."""


@dataclass(frozen=True)
class Draw:
    """One sequence of a step.

    Attributes:
        dropped: it is learnt without its text.
    """

    clip: Clip
    mode: VideoMode
    dropped: bool


class Sequences:
    """A checkpoint's tokens of clips."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        # A data set's captions are read again and again; cutting one takes as long as a small step.
        self._cut = lru_cache(KEPT_PROMPTS)(self._encode)

    def text(self, clip: Clip, *, dropped: bool = False) -> str:
        """The prompt as a request for the clip has it; dropped, what the other branch of a guided run reads."""
        words = "" if dropped else clip.window.text
        if clip.window.is_structured:
            return words
        if clip.fps is None:
            return image_text(words, clip.canvas, is_negative=dropped)
        return video_text(words, clip.canvas, clip.num_frames, clip.fps, is_negative=dropped)

    def prompt(self, clip: Clip, *, dropped: bool = False) -> NDArray[np.int64]:
        """Its tokens.

        Raises:
            PromptTooLong: there are too many.
        """
        return self._cut(self.text(clip, dropped=dropped))

    def words(self, clip: Clip) -> str:
        """The text with the chat template around it, as it is read."""
        return str(self._setting.prompts.tokenizer.decode(self.prompt(clip).tolist()))

    def segment(self, clip: Clip) -> VisionSegment:
        """Its shape and its places."""
        shape = self._setting.latent_shape(*clip.canvas, latent_frames(clip.num_frames))
        return VisionSegment(shape=shape, patch=self._setting.config.latent_patch_size, fps=clip.fps)

    def num_tokens(self, clip: Clip) -> int:
        """Of the prompt and of what is generated."""
        return len(self.prompt(clip)) + self.segment(clip).num_tokens

    def batches(self, draws: Sequence[Draw], latents: Sequence[Tensor]) -> list[tuple[list[int], Batch]]:
        """Those that are alike in mode, shape and rate side by side; with each batch the places of its draws."""
        groups: dict[tuple[object, ...], list[int]] = {}
        for place, draw in enumerate(draws):
            groups.setdefault((draw.mode, draw.clip.canvas, draw.clip.num_frames, draw.clip.fps), []).append(place)
        return [
            (places, self._batch([draws[at] for at in places], [latents[at] for at in places]))
            for places in groups.values()
        ]

    def _batch(self, draws: Sequence[Draw], latents: Sequence[Tensor]) -> Batch:
        first = draws[0]
        segment = self.segment(first.clip)
        given = torch.zeros(segment.shape[1], dtype=torch.bool)
        given[: KEPT[first.mode]] = True
        prompts = tuple(self.prompt(draw.clip, dropped=draw.dropped) for draw in draws)
        return Batch(first.mode, prompts, (TokenRun(segment, torch.stack([*latents]), given),))

    def _encode(self, text: str) -> NDArray[np.int64]:
        return np.array(self._setting.prompts.encode(text, system=None, param="caption"))
