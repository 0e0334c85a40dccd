"""A model of Nano's shape with random weights, made on the device: speed does not hang on the values."""

from __future__ import annotations

from typing import Any

import torch

from engine.towers import OmniModel
from engine.towers.rms_norm import RmsNorm
from engine.weights import ModelConfig

NANO = ModelConfig(
    hidden_size=4096,
    intermediate_size=12288,
    num_hidden_layers=36,
    num_attention_heads=32,
    num_key_value_heads=8,
    head_dim=128,
    vocab_size=151_936,
    action_gen=True,
    action_dim=64,
    sound_gen=True,
    sound_dim=64,
)
"""As `transformer/config.json` of Cosmos3-Nano has it."""

WAN_VAE: dict[str, Any] = {
    "base_dim": 160,
    "decoder_base_dim": 256,
    "z_dim": 48,
    "dim_mult": [1, 2, 4, 4],
    "num_res_blocks": 2,
    "attn_scales": [],
    "temperal_downsample": [False, True, True],
    "in_channels": 12,
    "out_channels": 12,
    "patch_size": 2,
    "is_residual": True,
    "scale_factor_temporal": 4,
    "scale_factor_spatial": 16,
    "latents_mean": [0.0] * 48,
    "latents_std": [1.0] * 48,
}
"""As `vae/config.json` has it, its statistics apart."""


def build_random(config: ModelConfig, device: torch.device, dtype: torch.dtype, seed: int = 0) -> OmniModel:
    """A model of a shape, straight on the device: matrices normal with a deviation of 1/sqrt(inputs), norms 1."""
    with torch.device("meta"):
        model = OmniModel(config).to(dtype)
        model.generator.timesteps.float()
    model = model.to_empty(device=device)
    norms = {id(module.weight) for module in model.modules() if isinstance(module, RmsNorm)}
    dice = torch.Generator(device).manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            if id(parameter) in norms:
                parameter.fill_(1)
            else:
                parameter.normal_(std=parameter.shape[-1] ** -0.5, generator=dice)
    return model.eval().requires_grad_(False)
