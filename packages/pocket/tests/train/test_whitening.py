"""White latents: the same pictures, every component as loud as any other."""

from __future__ import annotations

import torch

from pocket.train.codecs import fresh_vae
from pocket.train.shape import TOY
from pocket.train.video_vae import encoded, spread_latents, whiten


@torch.no_grad()
def test_latents_become_white_and_pictures_stay_what_they_are():
    torch.manual_seed(0)
    vae = fresh_vae(TOY).eval()
    pixels = torch.rand(24, 3, 1, 64, 64) * 2 - 1
    pixels = pixels + torch.rand(24, 3, 1, 1, 1) - 0.5
    spread_latents(vae, pixels)
    before = encoded(vae, pixels)
    drawn = vae.decode(before, return_dict=False)[0]
    cells = before.transpose(0, 1).flatten(1)
    assert float(torch.linalg.cond(torch.cov(cells))) > 10
    whiten(vae, cells)
    after = encoded(vae, pixels)
    values = after.transpose(0, 1).flatten(1)
    torch.testing.assert_close(values.mean(1), torch.zeros(TOY.latent_channels), atol=1e-3, rtol=0)
    torch.testing.assert_close(torch.cov(values), torch.eye(TOY.latent_channels), atol=2e-2, rtol=0)
    torch.testing.assert_close(vae.decode(after, return_dict=False)[0], drawn, atol=1e-3, rtol=1e-3)


@torch.no_grad()
def test_what_is_hardly_there_is_not_made_as_loud_as_the_rest():
    vae = fresh_vae(TOY)
    cells = torch.randn(TOY.latent_channels, 4000)
    cells[3] *= 1e-6
    vae.quant_conv.weight.zero_()
    vae.quant_conv.weight[: TOY.latent_channels, : TOY.latent_channels, 0, 0, 0] = torch.eye(TOY.latent_channels)
    whiten(vae, cells)
    assert float(vae.quant_conv.weight.abs().max()) < 110
