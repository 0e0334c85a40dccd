"""The reasoner tower, reading prompts for the generator."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from engine.towers.attention import causal_attention
from engine.towers.block import Block
from engine.towers.packing import Prefix
from engine.towers.rms_norm import RmsNorm
from engine.towers.rope import rope_tables
from engine.weights.config import ModelConfig


class Reasoner(nn.Module):
    """Causal over the prompt. Edge's generator sees its keys through norms of their own (`generator_k_norms`)."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.blocks = nn.ModuleList(
            Block(config, normed_heads=config.qk_norm_for_text) for _ in range(config.num_hidden_layers)
        )
        norms = range(config.num_hidden_layers if config.keys_for_generator_are_normed else 0)
        rounds_before_weight = config.hidden_act == "silu"
        self.generator_k_norms = nn.ModuleList(
            RmsNorm((config.head_dim,), config.rms_norm_eps, rounds_before_weight=rounds_before_weight) for _ in norms
        )

    def prefill(self, tokens: Tensor) -> Prefix:
        """Read a prompt, tokens [U] int64. Stops at the last layer's keys and values: nothing reads its output."""
        x = self.embed_tokens(tokens)
        positions = torch.arange(len(tokens), dtype=torch.float32, device=x.device).expand(3, -1)
        rope = rope_tables(self.config, positions, x.dtype)
        keys: list[Tensor] = []
        values: list[Tensor] = []
        for layer, block in enumerate(self.blocks):
            assert isinstance(block, Block)
            qk, v = block.project(x)
            q, k = block.rotate(qk, rope)
            k, v = k.transpose(0, 1), v.transpose(0, 1)
            seen = k
            if len(self.generator_k_norms):
                raw = qk[:, block.num_heads :]
                seen = rope.rotate(self.generator_k_norms[layer](raw)).transpose(0, 1)
            keys.append(seen.contiguous())
            values.append(v.contiguous())
            if layer + 1 < len(self.blocks):
                x = block.merge(x, causal_attention(q, k, v))
        return Prefix(tuple(keys), tuple(values))
