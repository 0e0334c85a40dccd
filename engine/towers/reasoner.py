"""The reasoner tower: it reads prompts for the generator, and conversations token by token."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from engine.towers.attention import cached_attention, causal_attention
from engine.towers.block import Block, write_heads
from engine.towers.cache import Cache
from engine.towers.packing import Prefix
from engine.towers.rms_norm import RmsNorm
from engine.towers.rope import Rope, rope_tables
from engine.weights.config import ModelConfig


class Reasoner(nn.Module):
    """Causal over the prompt. Edge's generator sees its keys through norms of their own (`generator_k_norms`).

    Attributes:
        streams: its weights come and go while it computes, so that nothing can be recorded.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.blocks = nn.ModuleList(
            Block(config, normed_heads=config.qk_norm_for_text) for _ in range(config.num_hidden_layers)
        )
        norms = range(config.num_hidden_layers if config.keys_for_generator_are_normed else 0)
        self.generator_k_norms = nn.ModuleList(RmsNorm.of(config, config.head_dim) for _ in norms)
        self.norm = RmsNorm.of(config, config.hidden_size)
        self.head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        self.streams = False

    def prefill(self, tokens: Tensor) -> Prefix:
        """Read a prompt, tokens [U] int64. Stops at the last layer's keys and values: nothing reads its output."""
        x = self.embed_tokens(tokens)
        positions = torch.arange(len(tokens), dtype=torch.float32, device=x.device).expand(3, -1)
        rope = rope_tables(self.config, positions, x.dtype)
        shape = (len(self.blocks), len(tokens), self.config.num_key_value_heads, self.config.head_dim)
        keys, values = x.new_empty(shape), x.new_empty(shape)
        slots = torch.arange(len(tokens), device=x.device)
        for layer, block in enumerate(self.blocks):
            assert isinstance(block, Block)
            heads = block.heads(x)
            q = write_heads(block, heads, rope, slots, keys[layer], values[layer])
            if layer + 1 < len(self.blocks):
                k, v = keys[layer].transpose(0, 1), values[layer].transpose(0, 1)
                x = block.merge(x, causal_attention(q, k, v))
            if len(self.generator_k_norms):
                raw = block.divide(heads)[0][:, block.num_heads :]
                keys[layer] = rope.rotate(self.generator_k_norms[layer](raw))
        return Prefix(keys, values)

    def read(
        self, x: Tensor, rope: Rope, caches: Sequence[Cache], lengths: Sequence[int], deep: Sequence[Tensor] = ()
    ) -> Tensor:
        """Read the next tokens of several conversations in one pass.

        Args:
            x: [S, H], their embeddings behind one another.
            caches: of each conversation, with room for its tokens; they are filled.
            lengths: tokens of each; they add up to S.
            deep: what is added to x behind the first layers, [S, H] each (DeepStack, arXiv 2406.04334).

        Returns:
            [S, H], normalised: what `head` turns into logits.
        """
        for layer, block in enumerate(self.blocks):
            assert isinstance(block, Block)
            qk, v = block.project(x)
            q, k = block.rotate(qk, rope)
            own = zip(q.split(lengths), k.split(lengths), v.split(lengths), caches, strict=True)
            seen = [
                cached_attention(own_q, *cache.write(layer, own_k.transpose(0, 1), own_v.transpose(0, 1)))
                for own_q, own_k, own_v, cache in own
            ]
            x = block.merge(x, torch.cat(seen) if len(seen) > 1 else seen[0])
            if layer < len(deep):
                x = x + deep[layer]
        for cache, length in zip(caches, lengths, strict=True):
            cache.advance(length)
        return self.norm(x)
