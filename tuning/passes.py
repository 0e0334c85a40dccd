"""Both towers over batches, on the engine's own blocks: what the engine does for one sequence, for many at once.

The engine packs sequences behind one another and keeps no gradients. Here sequences of one kind stand side by side,
shorter ones filled up on the right, and everything can be differentiated. Letters as in `engine.towers`; B sequences.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from engine.memory import StreamedBlocks
from engine.towers import OmniModel, rope_tables
from engine.towers.block import Block
from tuning.layers import denoise_layer, heads, read_layer


@dataclass(frozen=True)
class Prompts:
    """Keys and values that the reasoner leaves of a batch of prompts.

    Attributes:
        keys, values: [B, U, K, D] of each layer.
        lengths: int64 [B], tokens of each; what lies behind is not looked at.
        are_even: all are known to have U tokens, so that attention needs no mask.
    """

    keys: tuple[Tensor, ...]
    values: tuple[Tensor, ...]
    lengths: Tensor
    are_even: bool = False

    def repeated(self, times: int) -> Prompts:
        """The batch so many times behind itself."""
        if times == 1:
            return self
        keys, values = (tuple(part.repeat(times, 1, 1, 1) for part in parts) for parts in (self.keys, self.values))
        return Prompts(keys, values, self.lengths.repeat(times), self.are_even)


def onto(values: np.ndarray | Tensor, device: torch.device) -> Tensor:
    """Values on the device; a GPU fetches those of the host by itself, while this process goes on."""
    tensor = torch.from_numpy(values) if isinstance(values, np.ndarray) else values
    if device.type == "cuda" and tensor.device.type == "cpu":
        return tensor.pin_memory().to(device, non_blocking=True)
    return tensor.to(device)


def text_positions(batch: int, length: int, device: torch.device) -> Tensor:
    """[3, B, U] float32: words count on all axes."""
    return torch.arange(length, dtype=torch.float32, device=device).expand(3, batch, -1)


def read_prompts(model: OmniModel, tokens: Tensor, lengths: Tensor) -> Prompts:
    """Read prompts of words, tokens int64 [B, U]; the last layer's output is not computed, as in the engine."""
    x = model.reasoner.embed_tokens(tokens)
    batch, length = tokens.shape
    _, prompts = read(model, x, text_positions(batch, length, tokens.device), lengths, whole=False)
    return prompts


def read(
    model: OmniModel,
    x: Tensor,
    positions: Tensor,
    lengths: Tensor,
    deep: tuple[Tensor, ...] = (),
    *,
    whole: bool,
    checkpointed: bool = False,
) -> tuple[Tensor, Prompts]:
    """Read embedded sequences causally.

    Args:
        x: [B, U, H].
        positions: [3, B, U] float32.
        deep: what is added behind the first layers, [B, U, H] each.
        whole: compute the last layer too.
        checkpointed: see `denoise`.

    Returns:
        Normalised output [B, U, H], and what a generator needs of it.
    """
    batch, length, _ = x.shape
    rope = rope_tables(model.config, positions.flatten(1), x.dtype)
    flat = x.flatten(0, 1)
    keys: list[Tensor] = []
    values: list[Tensor] = []
    for layer, block in enumerate(model.reasoner.blocks):
        assert isinstance(block, Block)
        before = flat
        if whole or layer + 1 < len(model.reasoner.blocks):
            given = (block, flat, rope, batch)
            flat, k, v = (
                _again(model.reasoner.blocks, layer, read_layer, *given) if checkpointed else read_layer(*given)
            )
            if layer < len(deep):
                flat = flat + deep[layer].flatten(0, 1)
        else:
            _, k, v = heads(block, flat, rope, batch)
        if len(model.reasoner.generator_k_norms):
            # Edge's generator sees the keys through norms of its own.
            raw = block.project(before)[0][:, block.num_heads :]
            k = rope.rotate(model.reasoner.generator_k_norms[layer](raw)).unflatten(0, (batch, -1))
        # As they lie when they are repeated, so that a layer is not compiled for both.
        keys.append(k.contiguous())
        values.append(v.contiguous())
    return model.reasoner.norm(flat).view(batch, length, -1), Prompts(tuple(keys), tuple(values), lengths)


def denoise(
    model: OmniModel, x: Tensor, positions: Tensor, prompts: Prompts, *, checkpointed: bool = False
) -> tuple[Tensor, Tensor]:
    """Diffusion tokens x [B, S, H], each sequence over its prompt and all of itself.

    Args:
        positions: [3, B, S] float32, the prompt's length and the margin included.
        checkpointed: keep of each block what goes into it alone, and compute it again for its gradients.

    Returns:
        Normalised output [B, S, H], and what half of the layers have come to, the same shape.
    """
    batch, length, _ = x.shape
    rope = rope_tables(model.config, positions.flatten(1), x.dtype)
    flat = x.flatten(0, 1)
    mask = _mask(prompts, length)
    halfway = flat
    for layer, block in enumerate(model.generator.blocks):
        assert isinstance(block, Block)
        given = (block, flat, rope, prompts.keys[layer], prompts.values[layer], mask)
        flat = _again(model.generator.blocks, layer, denoise_layer, *given) if checkpointed else denoise_layer(*given)
        if 2 * (layer + 1) == len(model.generator.blocks):
            halfway = flat
    return model.generator.norm(flat).view(batch, length, -1), halfway.view(batch, length, -1)


def _again(blocks: nn.ModuleList, index: int, layer: Callable[..., Any], *given: object) -> Any:
    """What a layer gives, computed again for its gradients; its block is brought for that where blocks are streamed."""
    is_again = False

    def computed(*given: object) -> Any:
        nonlocal is_again
        if is_again and isinstance(blocks, StreamedBlocks):
            blocks.bring_back(index)
        is_again = True
        return layer(*given)

    # No block draws anything, so that there is no random state to bring back.
    return checkpoint(computed, *given, use_reentrant=False, preserve_rng_state=False)


def _mask(prompts: Prompts, length: int) -> Tensor | None:
    """bool [B, 1, 1, U + S], what is seen; none where all prompts are known to be of one length.

    With a mask PyTorch takes a slower kernel on a GPU: FlashAttention knows none.
    """
    num_prompt = prompts.keys[0].shape[1]
    # A GPU is not asked: the answer would have to wait for all that was given it to do.
    on_host = prompts.lengths.device.type == "cpu"
    if prompts.are_even or (on_host and bool((prompts.lengths == num_prompt).all())):
        return None
    places = torch.arange(num_prompt, device=prompts.lengths.device)
    seen = places < prompts.lengths[:, None]
    own = seen.new_ones(len(seen), length)
    return torch.cat([seen, own], 1)[:, None, None]
