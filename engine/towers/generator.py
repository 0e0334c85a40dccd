"""The generator tower: diffusion tokens in, velocities out."""

from __future__ import annotations

from torch import Tensor, nn

from engine.towers.attention import prefix_attention
from engine.towers.block import Block
from engine.towers.modalities import ActionHead, SoundHead
from engine.towers.packing import Pack
from engine.towers.patches import patchify, unpatchify
from engine.towers.rms_norm import RmsNorm
from engine.towers.timesteps import TimestepEmbedder
from engine.weights.config import ModelConfig


class Generator(nn.Module):
    """Full attention over `[prefix | diffusion tokens]`, for many sequences at once."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.patch = config.latent_patch_size
        self.timesteps = TimestepEmbedder(config.hidden_size, config.timestep_scale)
        self.patch_in = nn.Linear(config.patch_values, config.hidden_size)
        self.blocks = nn.ModuleList(Block(config, normed_heads=True) for _ in range(config.num_hidden_layers))
        self.norm = RmsNorm(
            (config.hidden_size,), config.rms_norm_eps, rounds_before_weight=config.hidden_act == "silu"
        )
        self.patch_out = nn.Linear(config.hidden_size, config.patch_values)
        self.sound = SoundHead(config) if config.sound_gen else None
        self.action = ActionHead(config) if config.action_gen else None

    def embed_vision(self, latents: Tensor) -> Tensor:
        """latents [C, T, rows, columns] → tokens [S, H], without their timestep."""
        return self.patch_in(patchify(latents.to(self.patch_in.weight.dtype), self.patch))

    def read_vision(self, tokens: Tensor, shape: tuple[int, int, int, int]) -> Tensor:
        """Output tokens [S, H] of a vision segment → its velocity, of `shape`, float32."""
        return unpatchify(self.patch_out(tokens), shape, self.patch).float()

    def forward(self, x: Tensor, pack: Pack) -> Tensor:
        """x [S, H], the embedded tokens of all sequences of a pack → [S, H]."""
        for layer, block in enumerate(self.blocks):
            assert isinstance(block, Block)
            qk, v = block.project(x)
            q, k = block.rotate(qk, pack.rope)
            seen = [(prefix.keys[layer], prefix.values[layer]) for prefix in pack.prefixes]
            x = block.merge(x, prefix_attention(q, k, v, seen, pack.lengths, pack.averages))
        return self.norm(x)
