"""Attention in FP8: queries, keys and values of the diffusion tokens in e4m3, the prompt's keys and values unrounded.

One scale a head would be too coarse for outliers among the reasoner's keys. So the prompt is attended to in a call of
its own, and the two results are joined by their log-sum-exps, which is exact. Keys lose their mean over the tokens
before they are rounded (SageAttention, arXiv 2410.02367, section 4.2): it adds the same to all scores of a query, so
that only the log-sum-exp has to be put right. Lossy: what it costs is in docs/performance.md.

Letters as in `engine.towers`; B sequences of S tokens over prompts of U.
"""

from __future__ import annotations

import torch
from torch import Tensor

from engine.towers.attention_kernels import Scaled, attention_with_lse
from engine.towers.fp8_linear import LARGEST, NEARLY_NOTHING


def fp8_attention(q: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Sequences of one length, each over itself in FP8 and over its prompt.

    Args:
        q: [B, S, N, D].
        keys: [B, S + U, K, D], the prompt's last; so is `values`.

    Returns:
        [B, S, N, D], in q's dtype.
    """
    num_own = q.shape[1]
    own_k, prompt_k = keys[:, :num_own], keys[:, num_own:]
    own_v, prompt_v = values[:, :num_own], values[:, num_own:]
    *rounded, shift = round_own(q, own_k, own_v)
    own, own_lse = attention_with_lse(*rounded)
    prompt, prompt_lse = attention_with_lse((q, None), (prompt_k, None), (prompt_v, None))
    return join(own, own_lse, shift, prompt, prompt_lse)


def round_own(q: Tensor, k: Tensor, v: Tensor) -> tuple[Scaled, Scaled, Scaled, Tensor]:
    """Round what a sequence attends to of itself.

    Args:
        q: [B, S, N, D].
        k: [B, S, K, D]; so is `v`.

    Returns:
        Queries, keys without their mean, and values, each as e4m3 and the scales of its heads; and what the mean adds
        to the scores of each query, float32 [B, N, S].
    """
    if q.is_cuda:
        from engine.towers.rounding_kernels import round_on_gpu

        return round_on_gpu(q, k, v)
    num_kv_heads, width = k.shape[2:]
    mean = k.float().mean(1, keepdim=True)
    shift = (q.float().unflatten(2, (num_kv_heads, -1)) * mean[:, :, :, None]).sum(-1).flatten(2) * width**-0.5
    return (
        _by_head(q, num_kv_heads),
        _by_head(k.float() - mean, num_kv_heads),
        _by_head(v, num_kv_heads),
        shift.transpose(1, 2),
    )


def _by_head(x: Tensor, num_kv_heads: int) -> Scaled:
    """x [B, S, N, D] → e4m3 of the same shape, and a scale for those heads that share a key's, float32 [B, K]."""
    grouped = x.float().unflatten(2, (num_kv_heads, -1))
    scale = grouped.abs().amax((1, 3, 4)).clamp_min(NEARLY_NOTHING) / LARGEST
    rounded = (grouped / scale[:, None, :, None, None]).to(torch.float8_e4m3fn)
    return rounded.flatten(2, 3), scale


def join(own: Tensor, own_lse: Tensor, shift: Tensor, prompt: Tensor, prompt_lse: Tensor) -> Tensor:
    """Both attentions [B, S, N, D] as one: each counts for as much as its part of the sum of exponentials.

    Args:
        own_lse: float32 [B, N, S], without the keys' mean, whose part is `shift`; so is `prompt_lse`.
    """
    if own.is_cuda:
        from engine.towers.rounding_kernels import join_on_gpu

        return join_on_gpu(own, own_lse, shift, prompt, prompt_lse)
    weight = torch.sigmoid(own_lse + shift - prompt_lse).transpose(1, 2)[..., None]
    return torch.lerp(prompt.float(), own.float(), weight).to(prompt.dtype)
