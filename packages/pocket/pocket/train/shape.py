"""How large the pocket is: Nano's layout in at most 60 MB of bfloat16, by measurement on two CPU threads.

`python -m pocket.train sizes` measures it; the table is in docs/pocket.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.speck.shape import ROPE_THETA
from engine.weights import ModelConfig

MAX_BYTES = 60_000_000
"""Of the whole checkpoint folder."""

MROPE_SECTION = (12, 10, 10)
"""32 rotary pairs of a head of 64, in Nano's proportions (24, 20, 20 of 64)."""

CONTEXT_TOKENS = 8192


@dataclass(frozen=True)
class Shape:
    """Sizes of all parts; everything that a configuration file says follows from it.

    Attributes:
        vocabulary: rows of the word tables; the tokenizer has at most as many tokens.
        latent_channels: of the VAE. Of the 48 of Wan a small one fills two thirds (docs/pocket.md).
        layers, width, inner: of both towers.
        heads, kv_heads, head_width: of their attention.
        domains, action_width: of the action heads; domain 8 is the robot room's.
        vae_encoder, vae_decoder: channels where they are widest open.
        sound_decoder, sound_encoder: the same of the sound codec; its encoder is not part of the checkpoint.
        sight_layers, sight_width, sight_inner, sight_heads: of the vision encoder.
    """

    vocabulary: int = 2048
    latent_channels: int = 32
    layers: int = 8
    width: int = 384
    inner: int = 640
    heads: int = 6
    kv_heads: int = 3
    head_width: int = 64
    mrope: tuple[int, int, int] = MROPE_SECTION
    domains: int = 9
    action_width: int = 16
    sound_width: int = 64
    vae_encoder: int = 16
    vae_decoder: int = 24
    vae_mult: tuple[int, ...] = (1, 2, 4, 4)
    sound_decoder: int = 24
    sound_encoder: int = 32
    sight_layers: int = 6
    sight_width: int = 128
    sight_inner: int = 384
    sight_heads: int = 4
    sight_taps: tuple[int, ...] = (2,)

    def text(self) -> dict[str, Any]:
        """The fields that diffusers' transformer and transformers' reasoner give the same names."""
        return {
            "hidden_size": self.width,
            "intermediate_size": self.inner,
            "num_hidden_layers": self.layers,
            "num_attention_heads": self.heads,
            "num_key_value_heads": self.kv_heads,
            "head_dim": self.head_width,
            "rms_norm_eps": 1e-6,
            "attention_bias": False,
            "attention_dropout": 0.0,
        }

    def rope_scaling(self) -> dict[str, Any]:
        """Three interleaved rotary axes."""
        return {"mrope_interleaved": True, "mrope_section": list(self.mrope), "rope_type": "default"}

    def transformer(self) -> dict[str, Any]:
        """`transformer/config.json`, but for what diffusers adds."""
        return self.text() | {
            "rope_theta": ROPE_THETA,
            "rope_scaling": self.rope_scaling(),
            "rope_axes_dim": list(self.mrope),
            "vocab_size": self.vocabulary,
            "latent_channel": self.latent_channels,
            "latent_patch_size": 2,
            "patch_latent_dim": 4 * self.latent_channels,
            "action_gen": True,
            "action_dim": self.action_width,
            "num_embodiment_domains": self.domains,
            "sound_gen": True,
            "sound_dim": self.sound_width,
            "sound_latent_fps": 25.0,
            "base_fps": 24,
            "enable_fps_modulation": True,
            "timestep_scale": 0.001,
            "unified_3d_mrope_temporal_modality_margin": 15000,
        }

    def model(self) -> ModelConfig:
        """The same as the engine reads it."""
        return ModelConfig.model_validate(self.transformer())

    def vae(self) -> dict[str, Any]:
        """`vae/config.json` without its latents' statistics: Wan 2.2's, 16 x 16 pixels and 4 frames a cell."""
        return {
            "base_dim": self.vae_encoder,
            "decoder_base_dim": self.vae_decoder,
            "z_dim": self.latent_channels,
            "dim_mult": list(self.vae_mult),
            "num_res_blocks": 1,
            "attn_scales": [],
            "temperal_downsample": [False, True, True],
            "is_residual": True,
            "in_channels": 12,
            "out_channels": 12,
            "patch_size": 2,
            "scale_factor_spatial": 16,
            "scale_factor_temporal": 4,
        }

    def sound(self) -> dict[str, Any]:
        """`sound_tokenizer/config.json`: 48 kHz stereo, 1,920 samples a latent."""
        return {
            "vocoder_input_dim": self.sound_width,
            "hop_size": 1920,
            "dec_dim": self.sound_decoder,
            "dec_c_mults": (1, 2, 2, 4, 4),
            "enc_dim": self.sound_encoder,
            "enc_num_blocks": 1,
            "enc_latent_dim": 2 * self.sound_width,
            "enc_c_mults": (1, 2, 4),
            "normalize_volume": False,
        }

    def sight(self) -> dict[str, Any]:
        """`vision_encoder/config.json`: Qwen3-VL's encoder."""
        return {
            "depth": self.sight_layers,
            "hidden_size": self.sight_width,
            "intermediate_size": self.sight_inner,
            "num_heads": self.sight_heads,
            "patch_size": 16,
            "spatial_merge_size": 2,
            "temporal_patch_size": 2,
            "out_hidden_size": self.width,
            "num_position_embeddings": 256,
            "deepstack_visual_indexes": list(self.sight_taps),
        }


POCKET = Shape()
"""The checkpoint that is shipped."""

TOY = Shape(
    vocabulary=1024,
    layers=2,
    width=64,
    inner=128,
    heads=2,
    kv_heads=1,
    head_width=32,
    mrope=(6, 5, 5),
    vae_encoder=4,
    vae_decoder=4,
    vae_mult=(1, 2, 2, 2),
    sound_decoder=8,
    sound_encoder=8,
    sight_layers=4,
    sight_width=32,
    sight_inner=64,
    sight_heads=2,
    sight_taps=(1,),
)
"""For tests: every part of it, as little of each as possible."""

SHAPES = {"pocket": POCKET, "toy": TOY}
