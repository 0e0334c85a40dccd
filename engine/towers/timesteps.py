"""How a timestep is told to the generator."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import silu

NUM_FREQUENCIES = 128
"""Half of the 256 sinusoids that the embedder was trained on (diffusers: `Timesteps(256, flip_sin_to_cos=True)`)."""


class TimestepEmbedder(nn.Module):
    """Sinusoids, cosines first, through two linear layers; all of it in float32."""

    def __init__(self, hidden_size: int, scale: float) -> None:
        super().__init__()
        self.scale = scale
        self.first = nn.Linear(2 * NUM_FREQUENCIES, hidden_size)
        self.second = nn.Linear(hidden_size, hidden_size)

    def forward(self, timesteps: Tensor) -> Tensor:
        """timesteps [n] in 0..1000 → [n, H] float32, one row for each."""
        steps = torch.arange(NUM_FREQUENCIES, dtype=torch.float32, device=timesteps.device)
        frequencies = torch.exp(-math.log(10_000) * steps / NUM_FREQUENCIES)
        angles = (timesteps.float() * self.scale)[:, None] * frequencies
        return self.second(silu(self.first(torch.cat([angles.cos(), angles.sin()], -1))))
