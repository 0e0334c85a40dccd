"""Attention: of a prompt, of a conversation, and of the sequences of a pass."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from engine.towers.attention_kernels import Ragged, dense_attention, ragged_attention
from engine.towers.fp8_attention import fp8_attention
from engine.towers.kv_buffers import KvBuffers
from engine.towers.packing import Average

FP8_FROM = 8192
"""Tokens of a sequence from which attention in FP8 pays, rounding and the prompt's own call included: 1.53 ms and 1.56
in bfloat16 at 2 x 5,376, 14.3 and 17.7 at 2 x 18,720, 72 and 96 at 2 x 44,160 (one H200, FlashAttention 3)."""


def prompts_attention(q: Tensor, keys: Tensor, values: Tensor, where: Sequence[int] | Ragged) -> Tensor:
    """Prompts behind one another: each token sees itself and those before it in its own.

    Args:
        q: [S, N, D].
        keys: [S, K, D]; so is `values`.
        where: tokens of each prompt; or where they lie, for a GPU that attends to all of them in one call.

    Returns:
        [S, N * D].
    """
    if isinstance(where, Ragged):
        return ragged_attention(q, keys, values, where, causal=True).flatten(1)
    sizes = list(where)
    parts = zip(q.split(sizes), keys.split(sizes), values.split(sizes), strict=True)
    outputs = [_attend(own, k.transpose(0, 1), v.transpose(0, 1), causal=True) for own, k, v in parts]
    return torch.cat(outputs) if len(outputs) > 1 else outputs[0]


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


def attend(q: Tensor, keys: Tensor, values: Tensor, buffers: KvBuffers, *, in_fp8: bool = False) -> Tensor:
    """Each sequence of a pass sees its part of the buffers: all of itself and its prefix, and nothing of the others.

    Args:
        q: [S, N, D], the sequences behind one another.
        keys: [T, K, D], of one layer; so is `values`.
        in_fp8: attend in FP8: on a GPU only in long sequences that FlashAttention 3 reads, on a processor in all of
            them; averages of controls never do.

    Returns:
        [S, N * D].
    """
    if buffers.kernel == "flash":
        return ragged_attention(q, keys, values, buffers.ragged).flatten(1)

    def dense(q: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        if in_fp8 and (not q.is_cuda or (buffers.kernel == "fa3" and q.shape[1] >= FP8_FROM)):
            return fp8_attention(q, keys, values)
        return dense_attention(q, keys, values, buffers.kernel)

    if buffers.is_even:
        size = (len(buffers.lengths), -1)
        seen = buffers.seen[0]
        out = dense(q.unflatten(0, size), keys.unflatten(0, size)[:, :seen], values.unflatten(0, size)[:, :seen])
        return out.flatten(0, 1).flatten(1)
    outputs = [
        dense(own[None], keys[None, start : start + seen], values[None, start : start + seen])[0].flatten(1)
        if average is None
        else _averaged(own, keys[start : start + seen], values[start : start + seen], average)
        for own, start, seen, average in zip(
            q.split(buffers.lengths), buffers.starts, buffers.seen, buffers.averages, strict=True
        )
    ]
    return torch.cat(outputs) if len(outputs) > 1 else outputs[0]


def _averaged(q: Tensor, k: Tensor, v: Tensor, average: Average) -> Tensor:
    """One sequence of controls and a target, q [S, N, D], k and v [S + U, K, D] with the prefix last → [S, N * D]."""
    sizes = [*average.lengths, len(q) - sum(average.lengths)]
    *controls_q, target_q = q.split(sizes)
    prefix = len(k) - len(q)
    *controls_k, target_k, prefix_k = k.split([*sizes, prefix])
    *controls_v, target_v, prefix_v = v.split([*sizes, prefix])
    outputs: list[Tensor] = []
    target = torch.zeros_like(target_q.flatten(1))
    controls = zip(controls_q, controls_k, controls_v, average.weights, strict=True)
    for control_q, control_k, control_v, weight in controls:
        out = _attend(
            torch.cat([control_q, target_q]),
            torch.cat([control_k, target_k, prefix_k]).transpose(0, 1),
            torch.cat([control_v, target_v, prefix_v]).transpose(0, 1),
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
