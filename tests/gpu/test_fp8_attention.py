"""Attention in FP8 by FlashAttention 3: near the exact one at sizes of videos, whatever the prompt's keys are."""

from __future__ import annotations

import pytest
import torch

from engine.towers.attention_kernels import can_attend_in_fp8, dense_attention
from engine.towers.fp8_attention import fp8_attention

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(
        not torch.cuda.is_available() or not can_attend_in_fp8(torch.device("cuda")),
        reason="needs a Hopper GPU and fa3-fwd",
    ),
]


def relative(one: torch.Tensor, other: torch.Tensor) -> float:
    return float((one.float() - other.float()).norm() / other.float().norm())


@pytest.mark.parametrize("outliers", [1.0, 30.0])
@pytest.mark.parametrize(("batch", "num_own", "num_prompt"), [(2, 4096, 512), (1, 2500, 77)])
def test_it_is_near_the_exact_one_and_what_a_processor_gives(batch, num_own, num_prompt, outliers):
    torch.manual_seed(0)
    shape = {"device": "cuda", "dtype": torch.bfloat16}
    q = torch.randn(batch, num_own, 8, 128, **shape)
    keys, values = (torch.randn(batch, num_own + num_prompt, 2, 128, **shape) for _ in range(2))
    keys += torch.randn(2, 128, **shape)
    keys[:, num_own:, :, 0] *= outliers
    made = fp8_attention(q, keys, values)
    assert made.dtype == torch.bfloat16
    assert relative(made, dense_attention(q, keys, values, "fa3")) < 0.08
    on_host = fp8_attention(*(tensor.cpu().float() for tensor in (q, keys, values)))
    # The kernel rounds probabilities to FP8 too: 0.050 was seen.
    assert relative(made.cpu(), on_host) < 0.06
