"""diffusers as quick as its own switches make it: its blocks compiled, and FlashAttention 3 or cuDNN's attention.

As it comes, it runs operation by operation with the attention that PyTorch picks. Both are rows of the table, since
"so many times as quick as diffusers" says less than it seems without the second.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from diffusers.models import attention_dispatch
from diffusers.models.attention_dispatch import AttentionBackendName
from diffusers.models.transformers.transformer_cosmos3 import Cosmos3OmniTransformer

from engine.towers.attention_kernels import has_fa3


@contextmanager
def tuned(transformer: Cosmos3OmniTransformer) -> Iterator[None]:
    """Compile its blocks and choose its attention, for as long as this is entered."""
    blocks: list[Any] = list(transformer.layers)
    backend = _quickest_attention()
    for block in blocks:
        block.self_attn.processor._attention_backend = backend
        block.compile()
    try:
        yield
    finally:
        for block in blocks:
            block.self_attn.processor._attention_backend = None
            block._compiled_call_impl = None
        torch._dynamo.reset()


def _quickest_attention() -> AttentionBackendName:
    if not has_fa3():
        return AttentionBackendName._NATIVE_CUDNN
    # diffusers looks for FlashAttention 3 under the name of another package with the same function.
    from fa3_fwd_interface import flash_attn_func  # type: ignore[import-not-found]

    attention_dispatch.flash_attn_3_func = flash_attn_func  # pyright: ignore[reportPrivateImportUsage]
    return AttentionBackendName._FLASH_3
