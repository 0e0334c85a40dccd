"""How sound and actions become tokens of the generator, and tokens their velocities."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from engine.weights.config import ModelConfig


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
