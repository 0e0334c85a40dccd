from __future__ import annotations

import pytest
import torch

from engine.vae import to_levels


@pytest.mark.parametrize("size", [(16, 16), (45, 13), (1, 1)])
def test_the_single_frame_decoder_is_the_vae(engine, reference, size):
    latents = torch.randn((48, 1, *size), generator=torch.Generator().manual_seed(0))
    pipeline = reference.pipeline
    raw = latents[None] / pipeline._vae_latents_inv_std.view(1, -1, 1, 1, 1) + pipeline._vae_latents_mean.view(
        1, -1, 1, 1, 1
    )
    with torch.inference_mode():
        theirs = pipeline.vae.decode(raw).sample[0, :, 0]
        ours = engine.decoder.decode(latents)
    assert float((ours - theirs).abs().max()) < 1e-4


def test_it_shares_what_it_need_not_slice(engine):
    own = {id(parameter) for parameter in engine.decoder.vae.parameters()}
    shared = [parameter for parameter in engine.decoder.single.parameters() if id(parameter) in own]
    assert len(shared) > len(list(engine.decoder.single.parameters())) / 2


def test_pixels_are_rounded_to_the_nearest_level_and_cut_off():
    pixels = torch.tensor([-2.0, -1.0, 0.0, 1.0, 2.0, -1 + 2 * 100.4 / 255]).expand(3, 1, 6)
    assert to_levels(pixels)[0, :, 0].tolist() == [0, 0, 128, 255, 255, 100]
    assert to_levels(pixels).dtype == torch.uint8
