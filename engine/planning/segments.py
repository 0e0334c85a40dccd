"""Runs of diffusion tokens: what each stands for, which part of it is given, and where its tokens stand.

Positions on the three rotary axes are those of the technical report, section 2.4. Prompt tokens stand at 0 … U - 1 on
all axes. Everything that is generated follows on the time axis after a margin of 15,000, each segment from the same
start; rows and columns count from 0 again. Steps of a segment are spaced by their time: one at half the base rate
stands 2 from the next. A segment of a single step is not spaced. `base_fps` counts frames before the VAE: 24 are 6
latent frames a second.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from engine.planning.embodiments import ActionUnits
from engine.weights import ModelConfig
from studio.errors import BadInput
from studio.requests.frames import TEMPORAL_STRIDE


@dataclass(frozen=True)
class Given:
    """The steps of a segment that are known from the start and stay what they are: no noise, no timestep, no velocity.

    Attributes:
        steps: indexes along the segment's time axis, rising.
        values: their latents, float32, the segment's shape with `len(steps)` along the time axis.
    """

    steps: tuple[int, ...]
    values: Tensor


@dataclass(frozen=True, kw_only=True)
class VisionSegment:
    """A picture or a clip.

    Attributes:
        shape: latents [C, T, rows, columns].
        patch: latent cells along a token's side.
        fps: frames per second of its pixels, which space its latent frames; none counts them.
        given: latent frames that are kept.
        is_control: all of it is given and it is no part of the result; no noise is drawn for it.
    """

    time_axis: ClassVar[int] = 1

    shape: tuple[int, int, int, int]
    patch: int
    fps: float | None = None
    given: Given | None = None
    is_control: bool = False

    @property
    def grid(self) -> tuple[int, int, int]:
        """Tokens as (frames, rows, columns); a half-filled token at the edge is one: 45 rows are 23."""
        _, frames, rows, columns = self.shape
        return frames, math.ceil(rows / self.patch), math.ceil(columns / self.patch)

    @property
    def num_tokens(self) -> int:
        """Tokens of the generator."""
        return math.prod(self.grid)

    def positions(self, config: ModelConfig, num_prompt_tokens: int) -> Tensor:
        """[3, tokens] float32."""
        return vision_positions(config, self.grid, num_prompt_tokens, self.fps)


@dataclass(frozen=True, kw_only=True)
class SoundSegment:
    """Stereo sound, all of it denoised.

    Attributes:
        shape: latents [C, T].
        latents_per_second: 25 in every released checkpoint.
    """

    time_axis: ClassVar[int] = 1

    shape: tuple[int, int]
    latents_per_second: float
    given: Given | None = None
    is_control: ClassVar[bool] = False

    @property
    def num_tokens(self) -> int:
        """One for each latent."""
        return self.shape[1]

    def positions(self, config: ModelConfig, num_prompt_tokens: int) -> Tensor:
        """[3, tokens] float32. They count in frames at `base_fps`, not in latent frames: as trained."""
        return line_positions(config, self.num_tokens, num_prompt_tokens, self.latents_per_second, config.base_fps)


@dataclass(frozen=True, kw_only=True)
class ActionSegment:
    """Actions of one embodiment.

    Attributes:
        shape: [T, D]; D is the model's width, of which `width` values are used and the others are 0 throughout.
        domain: index of the embodiment's weights.
        per_second: actions per second.
        first: where the first one stands, in actions after frame 0: 1, or 0 for the state at frame 0.
        given: rows that are kept.
        units: in which they are known; none where they are known as they are.
    """

    time_axis: ClassVar[int] = 0
    is_control: ClassVar[bool] = False

    shape: tuple[int, int]
    width: int
    domain: int
    per_second: float
    first: int = 1
    given: Given | None = None
    units: ActionUnits | None = None

    @property
    def num_tokens(self) -> int:
        """One for each action."""
        return self.shape[0]

    def positions(self, config: ModelConfig, num_prompt_tokens: int) -> Tensor:
        """[3, tokens] float32, counted in latent frames: at 15 a second 0.4 apart, four actions to a frame's 1.6."""
        base_rate = config.base_fps / TEMPORAL_STRIDE
        return line_positions(config, self.num_tokens, num_prompt_tokens, self.per_second, base_rate, self.first)


Segment = VisionSegment | SoundSegment | ActionSegment


def is_denoised(segment: Segment) -> bool:
    """Whether any step of it is not given."""
    return segment.given is None or len(segment.given.steps) < segment.shape[segment.time_axis]


def check_denoised(segments: Sequence[Segment], param: str) -> None:
    """Raises BadInput, naming the request's field, where everything is given and nothing is left to make."""
    if not any(is_denoised(segment) for segment in segments):
        raise BadInput(
            f"{param} keeps every latent frame of the video; nothing is left to generate.",
            param=param,
            hint="Keep fewer frames, or request a longer video.",
        )


def vision_positions(
    config: ModelConfig, grid: tuple[int, int, int], num_prompt_tokens: int, fps: float | None = None
) -> Tensor:
    """Positions of one vision segment.

    Args:
        grid: (frames, rows, columns) of tokens.
        num_prompt_tokens: U.
        fps: frames per second of what is drawn, before the VAE; none counts latent frames.

    Returns:
        [3, frames * rows * columns] float32: time, height, width.
    """
    frames, rows, columns = grid
    rate = None if fps is None else fps / TEMPORAL_STRIDE
    time = _times(config, frames, num_prompt_tokens, rate, config.base_fps / TEMPORAL_STRIDE)
    corner = _corner(config, num_prompt_tokens)
    height = torch.arange(rows, dtype=torch.float32) + corner
    width = torch.arange(columns, dtype=torch.float32) + corner
    axes = torch.meshgrid(time, height, width, indexing="ij")
    return torch.stack([axis.flatten() for axis in axes])


def line_positions(
    config: ModelConfig,
    length: int,
    num_prompt_tokens: int,
    rate: float | None,
    base_rate: float,
    first: int = 0,
) -> Tensor:
    """Positions of a segment without rows and columns: sound, actions.

    Args:
        length: steps.
        rate: steps per second; none counts them.
        base_rate: the rate at which steps stand 1 apart.
        first: index of the first step.

    Returns:
        [3, length] float32.
    """
    time = _times(config, length, num_prompt_tokens, rate, base_rate, first)
    corner = torch.full((length,), float(_corner(config, num_prompt_tokens)))
    return torch.stack([time, corner, corner])


def _times(
    config: ModelConfig, length: int, num_prompt_tokens: int, rate: float | None, base_rate: float, first: int = 0
) -> Tensor:
    steps = torch.arange(length, dtype=torch.float32) + first
    if rate is not None and config.enable_fps_modulation and length > 1:
        steps = steps / rate * base_rate
    return steps + _start(config, num_prompt_tokens)


def _start(config: ModelConfig, num_prompt_tokens: int) -> int:
    return num_prompt_tokens + config.unified_3d_mrope_temporal_modality_margin


def _corner(config: ModelConfig, num_prompt_tokens: int) -> int:
    return 0 if config.unified_3d_mrope_reset_spatial_ids else _start(config, num_prompt_tokens)
