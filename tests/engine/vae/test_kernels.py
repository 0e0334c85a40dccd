from __future__ import annotations

import pytest
import torch
from diffusers import AutoencoderKLWan
from diffusers.models.autoencoders.autoencoder_kl_wan import WanCausalConv3d, WanRMS_norm

from engine.vae.kernels import ChannelNorm, OneDnnConvolution, use_processor_kernels


def noise(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize(
    ("kernel", "stride", "padding"),
    [(3, 1, 1), ((3, 1, 1), 1, (1, 0, 0)), ((3, 1, 1), (2, 1, 1), (0, 0, 0)), (1, 1, 0), ((1, 3, 5), 1, (0, 1, 2))],
)
@pytest.mark.parametrize("num_remembered", [0, 1, 2])
@torch.inference_mode()
def test_a_convolution_is_the_library_s(kernel, stride, padding, num_remembered):
    theirs = WanCausalConv3d(6, 4, kernel, stride, padding)
    ours = OneDnnConvolution(theirs)
    x = noise(1, 6, 5, 9, 7)
    remembered = noise(1, 6, num_remembered, 9, 7) if num_remembered else None
    assert float((ours(x, remembered) - theirs(x, remembered)).abs().max()) < 1e-5
    assert ours.weight is theirs.weight


@pytest.mark.parametrize("images", [True, False])
@torch.inference_mode()
def test_a_normalisation_is_the_library_s_even_of_nothing(images):
    theirs = WanRMS_norm(6, images=images)
    theirs.gamma.copy_(noise(*theirs.gamma.shape))
    x = noise(1, 6, 8, 8) if images else noise(1, 6, 3, 8, 8)
    x[..., 0] = 0
    before = x.clone()
    assert float((ChannelNorm(theirs)(x) - theirs(x)).abs().max()) < 1e-5
    assert torch.equal(x, before)


def test_a_vae_keeps_its_weights_and_one_in_another_dtype_is_left_alone(speck):
    vae = AutoencoderKLWan.from_pretrained(speck / "vae")
    use_processor_kernels(vae.to(torch.bfloat16))
    assert not any(isinstance(module, OneDnnConvolution | ChannelNorm) for module in vae.modules())
    vae = AutoencoderKLWan.from_pretrained(speck / "vae")
    before = {name: weight.data_ptr() for name, weight in vae.state_dict().items()}
    use_processor_kernels(vae)
    assert {name: weight.data_ptr() for name, weight in vae.state_dict().items()} == before
    assert not any(type(module) in (WanCausalConv3d, WanRMS_norm) for module in vae.modules())
