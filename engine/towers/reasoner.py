"""The reasoner tower: it reads prompts for the generator, and conversations token by token."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from engine.towers.attention import cached_attention, prompts_attention
from engine.towers.attention_kernels import Ragged
from engine.towers.block import Block, write_heads
from engine.towers.cache import Cache
from engine.towers.pieces import Pieces
from engine.towers.rms_norm import RmsNorm
from engine.towers.rope import Rope
from engine.weights.config import ModelConfig


class Reasoner(nn.Module):
    """Causal over the prompt. Edge's generator sees its keys through norms of their own (`generator_k_norms`).

    Attributes:
        pieces: how a block is computed while prompts are read.
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
        self.pieces = Pieces()
        self.streams = False

    def prefill(self, x: Tensor, rope: Rope, where: Sequence[int] | Ragged) -> Tensor:
        """Read prompts in one pass, each by itself, up to the last layer's keys and values: nothing reads its output.

        Args:
            x: [S, H], their embeddings behind one another.
            rope: tables of the S tokens, each prompt's from 0 on.
            where: tokens of each; or where they lie, for a GPU that attends to all of them in one call.

        Returns:
            Keys, rotated, and values for the generator, [2, L, S, K, D].
        """
        x = x.clone()  # the blocks add to it in place
        prefixes = x.new_empty(2, len(self.blocks), len(x), self.config.num_key_value_heads, self.config.head_dim)
        slots = torch.arange(len(x), device=x.device)
        for layer, block in enumerate(self.blocks):
            assert isinstance(block, Block)
            keys, values = prefixes[:, layer]
            heads = self.pieces.heads(block, x)
            q = write_heads(block, heads, rope, slots, keys, values)
            if layer + 1 < len(self.blocks):
                x = self.pieces.merge(block, x, prompts_attention(q, keys, values, where))
            if len(self.generator_k_norms):
                raw = block.divide(heads)[0][:, block.num_heads :]
                keys.copy_(rope.rotate(self.generator_k_norms[layer](raw)))
        return prefixes

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
