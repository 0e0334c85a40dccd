"""Latents that are white: every component of them as loud as any other, and none the shadow of another.

A flow finds a component where the noise is about as loud as it is, and a sampler's few steps end long before what has a
hundredth of the variance. Left as they come, of a VAE's 48 channels the first component has 27 % of the variance, and
what the shape of a thing hangs on lies in some with a hundredth of that.
"""

from __future__ import annotations

import torch
from diffusers.models.autoencoders.autoencoder_kl_wan import AutoencoderKLWan
from torch import Tensor

LEAST = 1e-4
"""Of the loudest component's variance: what is below it is not made as loud as the rest."""


@torch.no_grad()
def whiten(vae: AutoencoderKLWan, latents: Tensor) -> None:
    """Turn and scale its latents in place, in the two convolutions of one cell that stand around them.

    What comes out of the decoder stays what it is.

    Args:
        latents: [C, n], means of many cells; theirs are white afterwards, with mean 0 and deviation 1.
    """
    values = latents.double().cpu()
    middle = values.mean(1)
    variances, axes = torch.linalg.eigh(torch.cov(values))
    deviations = variances.clamp_min(LEAST * float(variances[-1])).sqrt()
    inward, outward = (axes / deviations).T, axes * deviations
    before, behind = vae.quant_conv, vae.post_quant_conv
    assert before.bias is not None
    assert behind.bias is not None
    count = len(middle)
    into, out_of = before.weight[:count].double().cpu(), behind.weight.double().cpu()
    behind.bias += (out_of[..., 0, 0, 0] @ middle).to(behind.bias)
    behind.weight.copy_(torch.einsum("ijabc,jk->ikabc", out_of, outward))
    before.weight[:count] = torch.einsum("ij,jkabc->ikabc", inward, into).to(before.weight)
    before.bias[:count] = (inward @ (before.bias[:count].double().cpu() - middle)).to(before.bias)
