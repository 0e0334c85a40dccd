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
from engine.planning.trained_strings import TRANSFER_SYSTEM_PROMPT
from engine.planning.video import image_text, video_text
from studio.requests.frames import latent_frames
from studio.requests.transfer_video import FilteredHint
from studio.tuning import VideoMode
from tuning.flow.batch import Batch, TokenRun
from tuning.generator.clips import Clip

KEPT: dict[VideoMode, int] = {"i2v": 1, "v2v": 2}
"""Latent frames at the start that are given (report, 4.2.1), where there are any; two are five frames."""

TRANSFERS: dict[VideoMode, FilteredHint] = {"edge": "edge", "blur": "blur"}
"""Modes whose target stands behind a control."""

KEPT_PROMPTS = 16_384
"""Captions whose tokens stay in memory: of 1,000 tokens each has 8 kB."""


@dataclass(frozen=True)
class Draw:
    """One sequence of a step.

    Attributes:
        dropped: it is learnt without its text.
        control: that stands before it; none of a transfer too now and then, for the branch of a guided one without it.
    """

    clip: Clip
    mode: VideoMode
    dropped: bool
    control: FilteredHint | None = None


class Sequences:
    """A checkpoint's tokens of clips."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        # A data set's captions are read again and again; cutting one takes as long as a small step.
        self._cut = lru_cache(KEPT_PROMPTS)(self._encode)

    def text(self, clip: Clip, mode: VideoMode = "t2v", *, dropped: bool = False) -> str:
        """The prompt as a request for the clip has it; dropped, what the other branch of a guided run reads."""
        words = "" if dropped else clip.window.text
        if clip.window.is_structured or mode in TRANSFERS:
            return words
        if clip.fps is None:
            return image_text(words, clip.canvas, is_negative=dropped)
        return video_text(words, clip.canvas, clip.num_frames, clip.fps, is_negative=dropped)

    def prompt(self, clip: Clip, mode: VideoMode = "t2v", *, dropped: bool = False) -> NDArray[np.int64]:
        """Its tokens.

        Raises:
            PromptTooLong: there are too many.
        """
        system = TRANSFER_SYSTEM_PROMPT if mode in TRANSFERS else None
        return self._cut(self.text(clip, mode, dropped=dropped), system)

    def words(self, clip: Clip, mode: VideoMode = "t2v") -> str:
        """The text with the chat template around it, as it is read."""
        return str(self._setting.prompts.tokenizer.decode(self.prompt(clip, mode).tolist()))

    def segment(self, clip: Clip, *, is_control: bool = False) -> VisionSegment:
        """Its shape and its places."""
        shape = self._setting.latent_shape(*clip.canvas, latent_frames(clip.num_frames))
        patch = self._setting.config.latent_patch_size
        return VisionSegment(shape=shape, patch=patch, fps=clip.fps, is_control=is_control)

    def num_generated(self, clip: Clip, mode: VideoMode = "t2v") -> int:
        """Tokens of the generator: those of a control are as many as those of its target."""
        return self.segment(clip).num_tokens * (2 if mode in TRANSFERS else 1)

    def num_tokens(self, clip: Clip, mode: VideoMode = "t2v") -> int:
        """Of the prompt and of the generator."""
        return len(self.prompt(clip, mode)) + self.num_generated(clip, mode)

    def batches(
        self, draws: Sequence[Draw], latents: Sequence[Tensor], controls: Sequence[Tensor | None] = ()
    ) -> list[tuple[list[int], Batch]]:
        """Those that are alike in mode, shape and rate side by side; with each batch the places of its draws.

        Args:
            latents: of each draw's clip.
            controls: of each draw that has one; empty where none has.
        """
        groups: dict[tuple[object, ...], list[int]] = {}
        for place, draw in enumerate(draws):
            groups.setdefault(
                (draw.mode, draw.clip.canvas, draw.clip.num_frames, draw.clip.fps, draw.control), []
            ).append(place)
        return [
            (
                places,
                self._batch(
                    [draws[at] for at in places],
                    [latents[at] for at in places],
                    [control for at in places if controls and (control := controls[at]) is not None],
                ),
            )
            for places in groups.values()
        ]

    def _batch(self, draws: Sequence[Draw], latents: Sequence[Tensor], controls: Sequence[Tensor]) -> Batch:
        first = draws[0]
        segment = self.segment(first.clip)
        given = torch.zeros(segment.shape[1], dtype=torch.bool)
        given[: KEPT.get(first.mode, 0)] = True
        prompts = tuple(self.prompt(draw.clip, draw.mode, dropped=draw.dropped) for draw in draws)
        target = TokenRun(segment, torch.stack([*latents]), given)
        if first.control is None:
            return Batch(first.mode, prompts, (target,))
        clean = torch.ones(segment.shape[1], dtype=torch.bool)
        control = TokenRun(self.segment(first.clip, is_control=True), torch.stack([*controls]), clean)
        return Batch(first.mode, prompts, (control, target))

    def _encode(self, text: str, system: str | None) -> NDArray[np.int64]:
        return np.array(self._setting.prompts.encode(text, system=system, param="caption"))
