"""A batch of sequences of one mode: prompts, and runs of diffusion tokens with what of them is given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from engine.planning import ActionSegment, Segment, SoundSegment, VisionSegment


@dataclass(frozen=True)
class TokenRun:
    """One segment of a batch.

    Attributes:
        segment: its shape and places.
        values: clean latents [B, *segment.shape], float32.
        given: bool [T], steps of its time axis that are kept.
    """

    segment: Segment
    values: Tensor
    given: Tensor

    @property
    def is_denoised(self) -> bool:
        """Anything of it is."""
        return not bool(self.given.all())

    @property
    def modality(self) -> str:
        """What it is of: "vision", "sound" or "action"."""
        match self.segment:
            case ActionSegment():
                return "action"
            case SoundSegment():
                return "sound"
            case VisionSegment():
                return "vision"


@dataclass(frozen=True)
class Batch:
    """Sequences of one mode, whose runs have the same shapes.

    Attributes:
        mode: names the losses.
        prompts: tokens of each.
        draws: sequences that each sample makes, every one with noise and a level of its own.
        asked: for a term beside the velocity's error (`tuning.flow.error.Term`), [B, ...] each; empty without one.
    """

    mode: str
    prompts: tuple[NDArray[np.int64], ...]
    runs: tuple[TokenRun, ...]
    draws: int = 1
    asked: tuple[Tensor, ...] = ()

    @property
    def has_even_prompts(self) -> bool:
        """Whether all prompts are of one length."""
        return len({len(prompt) for prompt in self.prompts}) == 1
