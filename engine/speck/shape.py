"""How large speck is: Nano's proportions where they matter, as little as possible elsewhere."""

from __future__ import annotations

from typing import Any

VOCABULARY = 2048
"""As the pocket's: captions of 10,000 characters are 4,000 tokens, and a prompt may have 4,096."""

CONTEXT_TOKENS = 262_144

SEEN_PIXELS = (4096, 65_536)
"""Fewest and most that are looked at, of a picture and of all frames of a clip."""

ROPE_THETA = 5_000_000.0
"""Of every released checkpoint but Edge."""

ROPE_SCALING = {"mrope_interleaved": True, "mrope_section": [6, 5, 5], "rope_type": "default"}
"""16 rotary pairs of a head of 32, in Nano's proportions (24, 20, 20 of 64)."""

TEXT: dict[str, Any] = {
    "hidden_size": 64,
    "intermediate_size": 160,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 32,
    "rms_norm_eps": 1e-6,
    "attention_bias": False,
    "attention_dropout": 0.0,
}
"""The fields that both libraries give the same names."""

GENERATOR: dict[str, Any] = {
    "rope_theta": ROPE_THETA,
    "rope_scaling": ROPE_SCALING,
    "rope_axes_dim": [6, 5, 5],
    "vocab_size": VOCABULARY,
    "latent_channel": 48,
    "latent_patch_size": 2,
    "patch_latent_dim": 192,
    "action_gen": True,
    "action_dim": 64,
    "num_embodiment_domains": 32,
    "sound_gen": True,
    "sound_dim": 64,
    "sound_latent_fps": 25.0,
    "base_fps": 24,
    "enable_fps_modulation": True,
    "timestep_scale": 0.001,
    "unified_3d_mrope_temporal_modality_margin": 15000,
}

VISION: dict[str, Any] = {
    "depth": 4,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_heads": 2,
    "patch_size": 16,
    "spatial_merge_size": 2,
    "temporal_patch_size": 2,
    "out_hidden_size": 64,
    "num_position_embeddings": 64,
    "deepstack_visual_indexes": [0, 1, 2],
}

VAE: dict[str, Any] = {
    "base_dim": 4,
    "decoder_base_dim": 4,
    "z_dim": 48,
    "dim_mult": [1, 2, 2, 2],
    "num_res_blocks": 1,
    "temperal_downsample": [False, True, True],
    "is_residual": True,
    "in_channels": 12,
    "out_channels": 12,
    "patch_size": 2,
    "scale_factor_spatial": 16,
    "scale_factor_temporal": 4,
    "latents_mean": [0.01 * channel for channel in range(48)],
    "latents_std": [1.0 + 0.02 * channel for channel in range(48)],
}
"""Wan 2.2's: 48 channels, 16 x 16 pixels and 4 frames to a latent cell."""

SOUND: dict[str, Any] = {
    "dec_dim": 8,
    "enc_dim": 8,
    "enc_num_blocks": 1,
    "hop_size": 1920,
    "dec_c_mults": (1, 1, 1, 1, 1),
    "enc_c_mults": (1, 1, 1),
}

SCHEDULER: dict[str, Any] = {
    "use_karras_sigmas": True,
    "use_flow_sigmas": True,
    "prediction_type": "flow_prediction",
    "sigma_max": 200.0,
    "sigma_min": 0.147,
}
"""As the released repositories ship it."""
