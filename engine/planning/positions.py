"""Where diffusion tokens stand on the three rotary axes (technical report, section 2.4).

Prompt tokens stand at 0 … U - 1 on all axes. Latent frames follow on the time axis after a margin of 15,000; rows and
columns count from 0 again.
"""

from __future__ import annotations

import torch
from torch import Tensor

from engine.weights import ModelConfig

FRAMES_PER_LATENT = 4
"""The VAE's temporal compression, in which `base_fps` is counted too: 24 frames are 6 latent frames a second."""


def vision_positions(
    config: ModelConfig, grid: tuple[int, int, int], num_prompt_tokens: int, fps: float | None = None
) -> Tensor:
    """Positions of one vision segment.

    Args:
        grid: (frames, rows, columns) of tokens.
        num_prompt_tokens: U.
        fps: frames per second of what is drawn; with it, several latent frames are spaced by their time: at 12 fps
            they stand 2 apart. A single frame is not spaced.

    Returns:
        [3, frames * rows * columns] float32: time, height, width.
    """
    frames, rows, columns = grid
    start = num_prompt_tokens + config.unified_3d_mrope_temporal_modality_margin
    time = torch.arange(frames, dtype=torch.float32)
    if fps is not None and config.enable_fps_modulation and frames > 1:
        time = time / (fps / FRAMES_PER_LATENT) * (config.base_fps / FRAMES_PER_LATENT)
    corner = 0 if config.unified_3d_mrope_reset_spatial_ids else start
    height = torch.arange(rows, dtype=torch.float32) + corner
    width = torch.arange(columns, dtype=torch.float32) + corner
    axes = torch.meshgrid(time + start, height, width, indexing="ij")
    return torch.stack([axis.flatten() for axis in axes])
