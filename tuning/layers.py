"""A layer of either tower over a batch, as the passes run it: on a GPU its kernels are fused by PyTorch's compiler.

A layer of this size is some sixty kernels which read and write the same few megabytes; fused they are a third as many,
and a generator's step took 9.5 ms instead of 22.6 (one H100, replayed, 256 stills, attention compiled with the rest).
Compiled once for any shape: batches come in dozens of them. Letters as in `tuning.passes`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

import torch
from torch import Tensor
from torch._dynamo import config as dynamo
from torch.fx.experimental import _config as shapes
from torch.nn.functional import scaled_dot_product_attention

from engine.towers import Rope
from engine.towers.block import Block

MOST_FORMS = 64
"""Of a layer, that are compiled."""

Layer = TypeVar("Layer", bound=Callable[..., Any])


def heads(block: Block, flat: Tensor, rope: Rope, batch: int) -> tuple[Tensor, Tensor, Tensor]:
    """Rotated queries [B, S, N, D] and keys, and values [B, S, K, D], of flat [B * S, H]."""
    qk, v = block.project(flat)
    q, k = block.rotate(qk, rope)
    return q.unflatten(0, (batch, -1)), k.unflatten(0, (batch, -1)), v.unflatten(0, (batch, -1))


def read_layer(block: Block, flat: Tensor, rope: Rope, batch: int) -> tuple[Tensor, Tensor, Tensor]:
    """The reasoner's: flat [B * U, H] → the same after it, and keys and values [B, U, K, D] for a generator."""
    asked, k, v = _fused(_read, flat)(block, flat, rope, batch)
    return _fused(_merge, flat)(block, flat, scaled_dot_product_attention(*asked, is_causal=True)), k, v


def denoise_layer(
    block: Block, flat: Tensor, rope: Rope, prompt_k: Tensor, prompt_v: Tensor, mask: Tensor | None
) -> Tensor:
    """The generator's: flat [B * S, H] → the same after it.

    Args:
        prompt_k, prompt_v: of the reasoner's layer, [B, U, K, D].
        mask: bool [B, 1, 1, U + S], what is seen; none is all.
    """
    asked = _fused(_denoise, flat)(block, flat, rope, prompt_k, prompt_v)
    return _fused(_merge, flat)(block, flat, scaled_dot_product_attention(*asked, attn_mask=mask))


# Attention itself stays outside of what is compiled: it is one kernel anyway, and which of them it is depends on
# shapes, so that a layer around it would be compiled anew for some of those.


def _read(block: Block, flat: Tensor, rope: Rope, batch: int) -> tuple[tuple[Tensor, Tensor, Tensor], Tensor, Tensor]:
    q, k, v = heads(block, flat, rope, batch)
    return _asked(q, k, v), k, v


def _denoise(
    block: Block, flat: Tensor, rope: Rope, prompt_k: Tensor, prompt_v: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    q, k, v = heads(block, flat, rope, len(prompt_k))
    return _asked(q, torch.cat([prompt_k, k], 1), torch.cat([prompt_v, v], 1))


def _asked(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Queries [B, S, N, D], keys and values [B, T, K, D] → all as attention takes them, [B, N, S or T, D]."""
    # Keys and values are repeated by hand: with a mask and fewer of them PyTorch takes its slow reference kernel.
    repeats = q.shape[2] // k.shape[2]
    k, v = (part.repeat_interleave(repeats, 2).transpose(1, 2) for part in (k, v))
    return q.transpose(1, 2).to(v.dtype), k.to(v.dtype), v


def _merge(block: Block, flat: Tensor, attended: Tensor) -> Tensor:
    """What attention gives [B, N, S, D], put to flat [B * S, H]."""
    return block.merge(flat, attended.transpose(1, 2).flatten(2).flatten(0, 1))


def _fused(layer: Layer, flat: Tensor) -> Layer:
    # A processor waits for memory and arithmetic, not for launches, and would need a compiler of its own.
    return compiled(layer) if flat.is_cuda else layer


@cache
def compiled(layer: Layer) -> Layer:
    """The layer's fused form, for any shape.

    Sizes that happen to be alike, such as a batch of 256 and a width of 256, would be taken for one, and every other
    batch be compiled anew. After eight forms PyTorch would give up and run the layer as it is: with and without
    gradients, in the layouts and types that attention and the two towers give, there are more (seen on an H100).
    """
    shapes.use_duck_shape = False
    dynamo.recompile_limit = MOST_FORMS
    return torch.compile(layer, dynamic=True)  # type: ignore[reportReturnType]
