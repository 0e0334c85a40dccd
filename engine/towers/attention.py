"""Attention, and the only place that picks a kernel for it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention


def causal_attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Each token sees itself and those before it.

    Args:
        q: [U, N, D].
        k: [K, U, D], heads first as a `Prefix` keeps them; so is v.

    Returns:
        [U, N * D].
    """
    return _attend(q, k, v, causal=True)


def prefix_attention(
    q: Tensor, k: Tensor, v: Tensor, prefixes: Sequence[tuple[Tensor, Tensor]], lengths: Sequence[int]
) -> Tensor:
    """Each sequence sees its prefix and all of itself, and nothing of the others.

    Args:
        q: [S, N, D], the sequences behind one another; k and v are [S, K, D].
        prefixes: for each sequence its prefix's (keys, values), [K, U, D] each.
        lengths: tokens of each sequence; they add up to S.

    Returns:
        [S, N * D].
    """
    sequences = zip(
        q.split(lengths),
        k.transpose(0, 1).split(lengths, 1),
        v.transpose(0, 1).split(lengths, 1),
        prefixes,
        strict=True,
    )
    seen = [
        _attend(own_q, torch.cat([prefix_k, own_k], 1), torch.cat([prefix_v, own_v], 1), causal=False)
        for own_q, own_k, own_v, (prefix_k, prefix_v) in sequences
    ]
    return torch.cat(seen) if len(seen) > 1 else seen[0]


def _attend(q: Tensor, k: Tensor, v: Tensor, *, causal: bool) -> Tensor:
    # Four dimensions: with three, PyTorch takes its slow reference kernel.
    out = scaled_dot_product_attention(
        q.transpose(0, 1)[None], k[None], v[None], is_causal=causal, enable_gqa=q.shape[1] != k.shape[0]
    )
    return out[0].transpose(0, 1).flatten(1)
