"""Kernels for the attention of a pass, and the only place that picks one.

Times are of one H200, with 32 query heads and 8 key-value heads of 128 in bfloat16.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

Kernel = Literal["plain", "cudnn", "flash", "fa3"]
"""What PyTorch picks, cuDNN's and FlashAttention 3 take sequences of one length; FlashAttention 2 takes any at once."""

CUDNN_FROM = 768
"""Tokens of the longest sequence from which cuDNN is quicker than FlashAttention 2: 0.14 ms and 0.18 at 2 x 920 tokens,
0.07 and 0.04 at 2 x 60, over 512 of each prompt."""

FA3_FROM = 2048
"""Tokens of the longest sequence from which FlashAttention 3 is quicker than cuDNN: 0.56 ms and 0.60 at 2 x 2,880, 8.1
and 9.5 at 18,720, 48.0 and 52.3 at 44,160; its form for any lengths takes 8.9 and 54.5."""


def pick_kernel(device: torch.device, dtype: torch.dtype, lengths: Sequence[int], head_dim: int) -> Kernel:
    """The quickest one for sequences of so many tokens of their own."""
    if device.type != "cuda" or dtype not in (torch.bfloat16, torch.float16) or head_dim % 8 or torch.version.hip:
        return "plain"
    capability = torch.cuda.get_device_capability(device)
    if capability < (8, 0):
        return "plain"
    longest = max(lengths)
    if longest >= FA3_FROM and capability == (9, 0) and head_dim in (64, 128, 256) and has_fa3():
        return "fa3"
    if longest >= CUDNN_FROM and capability >= (9, 0):
        return "cudnn"
    return "flash"


@cache
def has_fa3() -> bool:
    """Whether the package `fa3-fwd` is installed, FlashAttention 3 for Hopper."""
    return find_spec("fa3_fwd_interface") is not None


def can_attend_in_fp8(device: torch.device) -> bool:
    """Whether `attention_with_lse` takes FP8 there: a Hopper GPU with `fa3-fwd`, or a processor."""
    return device.type == "cpu" or (_is_hopper(device) and has_fa3())


def _is_hopper(device: torch.device) -> bool:
    return device.type == "cuda" and not torch.version.hip and torch.cuda.get_device_capability(device) == (9, 0)


@cache
def _fa3() -> Any:
    return import_module("fa3_fwd_interface")


class Ragged(NamedTuple):
    """Where sequences of different lengths lie.

    Attributes:
        first_q: int32 [B + 1], where each sequence starts among the queries, and where the last one ends.
        first_k: int32 [B + 1], the same of the parts of a buffer that their keys are in.
        used: int32 [B], how much of each part is filled, from its start.
        longest: queries of the longest sequence.
        largest: rows of the largest part.
    """

    first_q: Tensor
    first_k: Tensor
    used: Tensor
    longest: int
    largest: int


def ragged_attention(q: Tensor, keys: Tensor, values: Tensor, where: Ragged, *, causal: bool = False) -> Tensor:
    """All sequences in one call: q [S, N, D], keys and values [T, K, D] → [S, N, D]."""
    first_q, first_k, used, longest, largest = where
    flash = torch.ops.aten._flash_attention_forward
    return flash(q, keys, values, first_q, first_k, longest, largest, 0.0, causal, False, seqused_k=used)[0]


def dense_attention(q: Tensor, keys: Tensor, values: Tensor, kernel: Kernel) -> Tensor:
    """Sequences of one length: q [B, S, N, D], keys and values [B, T, K, D] → [B, S, N, D]."""
    if kernel == "fa3":
        out = _fa3().flash_attn_func(q, keys, values)
        return out[0] if isinstance(out, tuple) else out
    q, keys, values = q.transpose(1, 2), keys.transpose(1, 2), values.transpose(1, 2)
    if kernel == "cudnn":
        # Asked for by name: PyTorch's own choice would be another kernel, and the context that changes it costs 20 us.
        out = torch.ops.aten._scaled_dot_product_cudnn_attention(q, keys, values, None, False)[0]
    else:
        out = scaled_dot_product_attention(q, keys, values, enable_gqa=q.shape[1] != keys.shape[1])
    return out.transpose(1, 2)


Scaled = tuple[Tensor, Tensor | None]
"""A tensor, and where it is in FP8 the scale of each key head's part of it, float32 [B, K]."""


def attention_with_lse(q: Scaled, keys: Scaled, values: Scaled) -> tuple[Tensor, Tensor]:
    """As `dense_attention` by FlashAttention 3, or on a processor.

    Args:
        q: [B, S, N, D], e4m3 with its scales, or neither.
        keys: [B, T, K, D], of the same kind; so are `values`.

    Returns:
        [B, S, N, D], of FP8 in bfloat16 on a GPU and in float32 elsewhere; and the logarithms of the sums of
        exponentials, float32 [B, N, S].
    """
    (q_values, q_scale), (k_values, k_scale), (v_values, v_scale) = q, keys, values
    if q_values.is_cuda:
        return _fa3().flash_attn_func(
            q_values,
            k_values,
            v_values,
            q_descale=q_scale,
            k_descale=k_scale,
            v_descale=v_scale,
            return_attn_probs=True,
        )
    own_q, own_k, own_v = (_widened(*scaled).transpose(1, 2) for scaled in (q, keys, values))
    times = own_q.shape[1] // own_k.shape[1]
    own_k, own_v = own_k.repeat_interleave(times, 1), own_v.repeat_interleave(times, 1)
    out, lse = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(own_q, own_k, own_v)
    return out.transpose(1, 2), lse


def _widened(x: Tensor, scale: Tensor | None) -> Tensor:
    """FP8 back in float32, heads that share a key's scaled alike."""
    if scale is None:
        return x
    grouped = x.float().unflatten(2, (scale.shape[1], -1))
    return (grouped * scale[:, None, :, None, None]).flatten(2, 3)
