"""A request, worked out: everything that stays the same while it is denoised."""

from __future__ import annotations

import math
from dataclasses import dataclass

from torch import Tensor

from engine.planning.guidance import Factors
from engine.planning.schedule import Schedule


@dataclass(frozen=True)
class VisionSegment:
    """A run of diffusion tokens that stands for one picture, all of it denoised.

    Attributes:
        shape: latents [C, T, rows, columns].
        patch: latent cells along a token's side.
    """

    shape: tuple[int, int, int, int]
    patch: int

    @property
    def grid(self) -> tuple[int, int, int]:
        """Tokens as (frames, rows, columns); a half-filled token at the edge is one: 45 rows are 23."""
        _, frames, rows, columns = self.shape
        return frames, math.ceil(rows / self.patch), math.ceil(columns / self.patch)

    @property
    def num_tokens(self) -> int:
        """Tokens of the generator."""
        return math.prod(self.grid)


@dataclass(frozen=True)
class Branch:
    """One evaluation of the model: the same latents under one prompt.

    Attributes:
        tokens: what the reasoner reads.
        positions: [3, tokens of all segments] float32, of the diffusion tokens; they start behind this prompt.
    """

    tokens: tuple[int, ...]
    positions: Tensor


@dataclass(frozen=True)
class Plan:
    """What the sampler runs. It does not know which kind of request it came from.

    Attributes:
        canvas: (width, height) in pixels.
        segments: in the order of noise and tokens: vision, then sound, then action.
        factors: for each step, what each branch's velocity is multiplied by.
    """

    canvas: tuple[int, int]
    segments: tuple[VisionSegment, ...]
    branches: tuple[Branch, ...]
    factors: tuple[Factors, ...]
    schedule: Schedule
    seed: int

    def __post_init__(self) -> None:
        assert len(self.factors) == self.schedule.num_steps
        assert all(len(factors) == len(self.branches) for factors in self.factors)

    @property
    def tokens_per_branch(self) -> int:
        """Generator tokens of one evaluation."""
        return sum(segment.num_tokens for segment in self.segments)

    def active(self, step: int) -> tuple[int, ...]:
        """Branches that a step evaluates."""
        return tuple(index for index, factor in enumerate(self.factors[step]) if factor != 0)
