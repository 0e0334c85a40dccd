"""How pictures, sound and actions become tokens of the generator, tokens their velocities, and how time is told to it.

One vision token is 2 x 2 latent cells, 32 x 32 pixels.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import pad, silu

from engine.weights.config import ModelConfig

NUM_FREQUENCIES = 128
"""Half of the 256 sinusoids that the embedder was trained on (diffusers: `Timesteps(256, flip_sin_to_cos=True)`)."""


class SoundHead(nn.Module):
    """One token for each sound latent of C channels."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        assert config.sound_dim is not None
        self.embedding = nn.Linear(config.sound_dim, config.hidden_size)
        self.reading = nn.Linear(config.hidden_size, config.sound_dim)
        self.modality = nn.Parameter(torch.empty(config.hidden_size))

    def embed(self, latents: Tensor) -> Tensor:
        """latents [C, T] → tokens [T, H]."""
        return self.embedding(latents.T.to(self.modality.dtype)) + self.modality

    def read(self, tokens: Tensor) -> Tensor:
        """Output tokens [T, H] → velocity [C, T] float32."""
        return self.reading(tokens).T.float()


class ActionHead(nn.Module):
    """One token for each action of D channels, through weights of the embodiment's domain."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        assert config.action_dim is not None
        domains, width, hidden = config.num_embodiment_domains, config.action_dim, config.hidden_size
        self.width = width
        self.embedding = nn.Parameter(torch.empty(domains, width * hidden))
        self.embedding_bias = nn.Parameter(torch.empty(domains, hidden))
        self.reading = nn.Parameter(torch.empty(domains, width * hidden))
        self.reading_bias = nn.Parameter(torch.empty(domains, width))
        self.modality = nn.Parameter(torch.empty(hidden))

    def embed(self, actions: Tensor, domain: int) -> Tensor:
        """actions [T, D] → tokens [T, H]."""
        weight = self.embedding[domain].view(self.width, -1)
        return actions.to(weight.dtype) @ weight + self.embedding_bias[domain] + self.modality

    def read(self, tokens: Tensor, domain: int) -> Tensor:
        """Output tokens [T, H] → velocity [T, D] float32."""
        weight = self.reading[domain].view(-1, self.width)
        return (tokens @ weight + self.reading_bias[domain]).float()


def patchify(latents: Tensor, patch: int) -> Tensor:
    """latents [C, T, rows, columns] → [tokens, patch * patch * C], row by row, cells before channels.

    An odd number of rows or columns is padded with zeros: 720 pixels are 45 rows, which make 23 rows of tokens.
    """
    channels, _, rows, columns = latents.shape
    if rows % patch or columns % patch:
        latents = pad(latents, (0, -columns % patch, 0, -rows % patch))
    cells = latents.unflatten(3, (-1, patch)).unflatten(2, (-1, patch))  # [C, T, h, p, w, q]
    return cells.permute(1, 2, 4, 3, 5, 0).reshape(-1, patch * patch * channels)


def unpatchify(tokens: Tensor, shape: tuple[int, int, int, int], patch: int) -> Tensor:
    """The inverse: tokens [tokens, patch * patch * C] → latents of `shape`, the padding dropped."""
    channels, frames, rows, columns = shape
    height, width = -(-rows // patch), -(-columns // patch)
    cells = tokens.view(frames, height, width, patch, patch, channels).permute(5, 0, 1, 3, 2, 4)
    return cells.reshape(channels, frames, height * patch, width * patch)[:, :, :rows, :columns]


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
