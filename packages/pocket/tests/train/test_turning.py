"""A VAE on other axes of its latents draws what it drew."""

from __future__ import annotations

import torch
from diffusers.models.autoencoders.autoencoder_kl_wan import AutoencoderKLWan

from pocket.train.codecs import fresh_vae
from pocket.train.shape import TOY
from pocket.train.turning import turn_vae, white_turn
from pocket.train.video_vae import encoded, spread_latents

COUNT = TOY.latent_channels


def a_vae() -> tuple[AutoencoderKLWan, torch.Tensor]:
    torch.manual_seed(0)
    mean, std = torch.randn(COUNT).tolist(), (0.5 + torch.rand(COUNT)).tolist()
    vae = fresh_vae(TOY, mean, std).eval()
    pixels = torch.rand(24, 3, 1, 64, 64) * 2 - 1 + torch.rand(24, 3, 1, 1, 1) - 0.5
    spread_latents(vae, pixels)
    return vae, pixels


def normalised(vae: AutoencoderKLWan, pixels: torch.Tensor) -> torch.Tensor:
    """[C, n] float64."""
    mean, std = (torch.tensor(vae.config[name], dtype=torch.float64) for name in ("latents_mean", "latents_std"))
    cells = encoded(vae, pixels).double().transpose(0, 1).flatten(1)
    return (cells - mean[:, None]) / std[:, None]


@torch.no_grad()
def test_on_all_axes_it_draws_what_it_drew_and_its_latents_are_white():
    vae, pixels = a_vae()
    turned = turn_vae(vae, white_turn(normalised(vae, pixels), COUNT))

    latents = normalised(turned, pixels)
    torch.testing.assert_close(torch.cov(latents), torch.eye(COUNT, dtype=torch.float64), atol=2e-2, rtol=0)
    clip = pixels[:2].repeat(1, 1, 9, 1, 1) * torch.linspace(1, 0.5, 9).view(1, 1, 9, 1, 1)
    for shown in (pixels, clip):
        before = vae.decode(encoded(vae, shown), return_dict=False)[0]
        after = turned.decode(encoded(turned, shown), return_dict=False)[0]
        torch.testing.assert_close(after, before, atol=1e-3, rtol=1e-3)


@torch.no_grad()
def test_on_fewer_axes_it_draws_nearly_what_it_drew():
    vae, pixels = a_vae()
    before = vae.decode(encoded(vae, pixels), return_dict=False)[0]
    errors: list[float] = []
    for num_kept in (COUNT // 8, COUNT // 2):
        turned = turn_vae(vae, white_turn(normalised(vae, pixels), num_kept))
        assert turned.config["z_dim"] == num_kept
        after = turned.decode(encoded(turned, pixels), return_dict=False)[0]
        errors.append(float((after - before).square().mean()))
    assert errors[1] < errors[0] < float((before - before.mean((0, 3, 4), keepdim=True)).square().mean())
