from __future__ import annotations

import numpy as np
import torch

from pocket.train.codecs import fresh_vae, hasten_on_processor
from pocket.train.shape import TOY
from pocket.train.video_vae import encoded, spread_latents, vae_loss
from pocket_flat_world import flat_episode


def stills(count):
    frames = np.stack([flat_episode("still", seed, 32).frames for seed in range(count)])
    return torch.from_numpy(frames).permute(0, 4, 1, 2, 3).float() / 127.5 - 1


def test_latents_differ_by_about_one_from_picture_to_picture_before_anything_is_learnt():
    torch.manual_seed(0)
    vae, pixels = fresh_vae(TOY), stills(8)
    with torch.no_grad():
        assert encoded(vae, pixels).std(0).mean() < 0.2
        spread_latents(vae, pixels)
        spread = encoded(vae, pixels).std(0).mean((1, 2, 3))
    torch.testing.assert_close(spread, torch.ones(TOY.latent_channels), atol=1e-3, rtol=0)


def test_on_a_processor_it_learns_what_it_would_learn_anyway():
    torch.manual_seed(0)
    vae, pixels = fresh_vae(TOY), stills(2)
    quick = fresh_vae(TOY)
    quick.load_state_dict(vae.state_dict())
    hasten_on_processor(quick)
    assert quick.state_dict().keys() == vae.state_dict().keys()
    for one in (vae, quick):
        torch.manual_seed(1)
        vae_loss(one, pixels)[0].backward()
    theirs = dict(vae.named_parameters())
    for name, parameter in quick.named_parameters():
        if theirs[name].grad is not None:
            torch.testing.assert_close(parameter.grad, theirs[name].grad, atol=1e-4, rtol=1e-2)
