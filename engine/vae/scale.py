"""Latents as the transformer knows them, and as the VAE does."""

from __future__ import annotations

import torch
from diffusers.models.autoencoders.autoencoder_kl_wan import AutoencoderKLWan
from torch import Tensor


class LatentScale:
    """The VAE's own mean and deviation of each channel."""

    def __init__(self, vae: AutoencoderKLWan) -> None:
        like = {"dtype": vae.dtype, "device": vae.device}
        self._mean = torch.tensor(vae.config["latents_mean"], **like).view(1, -1, 1, 1, 1)
        # The reference rounds 1 / std and divides by it; so does this.
        self._inverse_std = (1.0 / torch.tensor(vae.config["latents_std"], **like)).view(1, -1, 1, 1, 1)

    def raw(self, latents: Tensor) -> Tensor:
        """Normalised latents [B, C, T, rows, columns] → the VAE's, in its dtype."""
        return latents.to(self._mean.dtype) / self._inverse_std + self._mean

    def normal(self, raw: Tensor) -> Tensor:
        """The VAE's latents → normalised ones, float32."""
        return ((raw - self._mean) * self._inverse_std).float()
