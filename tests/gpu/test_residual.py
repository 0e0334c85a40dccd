"""The VAE's kernels on a GPU come to what its plain operations come to."""

from __future__ import annotations

import pytest
import torch

from engine.vae.residual import activated_rows, added_rows

pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")]


@pytest.mark.parametrize("width", [96, 256, 1024])
@pytest.mark.parametrize("biased", [False, True])
def test_rows_are_normalised_behind_their_bias(width, biased):
    from engine.vae.norm_kernel import activated_rows_on_gpu

    rows = torch.randn(333, width, device="cuda", dtype=torch.bfloat16)
    bias = torch.randn(width, device="cuda", dtype=torch.bfloat16) if biased else None
    gain = torch.randn(width, device="cuda", dtype=torch.bfloat16)
    made, expected = activated_rows_on_gpu(rows, bias, gain, width**0.5), activated_rows(rows, bias, gain, width**0.5)
    assert float((made.float() - expected.float()).abs().max()) <= 2**-7 * float(expected.abs().max())


@pytest.mark.parametrize("width", [96, 256])
def test_a_bias_and_a_sum_are_added_to_the_bit(width):
    from engine.vae.norm_kernel import added_rows_on_gpu

    rows, added = (torch.randn(333, width, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    bias = torch.randn(width, device="cuda", dtype=torch.bfloat16)
    assert torch.equal(added_rows_on_gpu(rows, bias, added), added_rows(rows, bias, added))
