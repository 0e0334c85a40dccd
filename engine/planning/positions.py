"""Where diffusion tokens stand on the three rotary axes (technical report, section 2.4).

Prompt tokens stand at 0 … U - 1 on all axes. Everything that is generated follows on the time axis after a margin of
15,000, each segment from the same start; rows and columns count from 0 again. Steps of a segment are spaced by their
time: one at half the base rate stands 2 from the next. A segment of a single step is not spaced. `base_fps` counts
frames before the VAE: 24 are 6 latent frames a second.
"""

from __future__ import annotations

import torch
from torch import Tensor

from engine.weights import ModelConfig
from studio.requests.frames import TEMPORAL_STRIDE


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
