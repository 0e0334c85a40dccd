"""Attention, and the only place that picks a kernel for it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from engine.towers.packing import Average


def causal_attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Each token sees itself and those before it.

    Args:
        q: [U, N, D].
        k: [K, U, D], heads first as a `Prefix` keeps them; so is v.

    Returns:
        [U, N * D].
    """
    return _attend(q, k, v, causal=True)


def cached_attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The last tokens of a sequence see themselves and all before them.

    Args:
        q: [n, N, D], of the last n tokens.
        k: [K, U, D], of all; so is v.

    Returns:
        [n, N * D].
    """
    length, seen = len(q), k.shape[1]
    if length in (1, seen):
        return _attend(q, k, v, causal=length > 1)
    mask = torch.ones(length, seen, dtype=torch.bool, device=q.device).tril(seen - length)
    return _attend(q, k, v, causal=False, mask=mask)


def prefix_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    prefixes: Sequence[tuple[Tensor, Tensor]],
    lengths: Sequence[int],
    averages: Sequence[Average | None] = (),
) -> Tensor:
    """Each sequence sees its prefix and all of itself, and nothing of the others.

    Args:
        q: [S, N, D], the sequences behind one another; k and v are [S, K, D].
        prefixes: for each sequence its prefix's (keys, values), [K, U, D] each.
        lengths: tokens of each sequence; they add up to S.
        averages: for each sequence how its controls are averaged, if they are; empty for none.

    Returns:
        [S, N * D].
    """
    sequences = zip(
        q.split(lengths),
        k.transpose(0, 1).split(lengths, 1),
        v.transpose(0, 1).split(lengths, 1),
        prefixes,
        averages or (None,) * len(lengths),
        strict=True,
    )
    seen = [
        _attend(own_q, torch.cat([prefix_k, own_k], 1), torch.cat([prefix_v, own_v], 1), causal=False)
        if average is None
        else _averaged(own_q, own_k, own_v, (prefix_k, prefix_v), average)
        for own_q, own_k, own_v, (prefix_k, prefix_v), average in sequences
    ]
    return torch.cat(seen) if len(seen) > 1 else seen[0]


def _averaged(q: Tensor, k: Tensor, v: Tensor, prefix: tuple[Tensor, Tensor], average: Average) -> Tensor:
    """One sequence of controls and a target, q [S, N, D], k and v [K, S, D] → [S, N * D]."""
    sizes = [*average.lengths, len(q) - sum(average.lengths)]
    *controls_q, target_q = q.split(sizes)
    *controls_k, target_k = k.split(sizes, 1)
    *controls_v, target_v = v.split(sizes, 1)
    outputs: list[Tensor] = []
    target = torch.zeros_like(target_q.flatten(1))
    controls = zip(controls_q, controls_k, controls_v, average.weights, strict=True)
    for control_q, control_k, control_v, weight in controls:
        out = _attend(
            torch.cat([control_q, target_q]),
            torch.cat([prefix[0], control_k, target_k], 1),
            torch.cat([prefix[1], control_v, target_v], 1),
            causal=False,
        )
        outputs.append(out[: len(control_q)])
        target = torch.add(target, out[len(control_q) :], alpha=weight)
    return torch.cat([*outputs, target])


def _attend(q: Tensor, k: Tensor, v: Tensor, *, causal: bool, mask: Tensor | None = None) -> Tensor:
    # Four dimensions: with three, PyTorch takes its slow reference kernel.
    out = scaled_dot_product_attention(
        q.transpose(0, 1)[None],
        k[None],
        v[None],
        attn_mask=mask,
        is_causal=causal,
        enable_gqa=q.shape[1] != k.shape[0],
    )
    return out[0].transpose(0, 1).flatten(1)
