"""The Wan decoder for one frame: the same answer for a third of the work.

Its convolutions look back two frames in time. Before the first frame stand zeros, so for a single frame two thirds of
each kernel multiply nothing; what is left is an ordinary convolution with the kernel's last slice.
"""

from __future__ import annotations

import copy

from diffusers.models.autoencoders.autoencoder_kl_wan import AutoencoderKLWan, WanCausalConv3d
from torch import Tensor, nn
from torch.nn.functional import conv2d


class FrameConvolution(nn.Module):
    """A causal convolution over one frame. Its weight is the last slice in time of the three-dimensional one."""

    def __init__(self, causal: WanCausalConv3d) -> None:
        super().__init__()
        self.weight = nn.Parameter(causal.weight[:, :, -1].contiguous(), requires_grad=False)
        self.bias = causal.bias
        self.stride = causal.stride[1:]
        # As the causal one pads by hand: (left, right, top, bottom, earlier, later).
        self.padding = (int(causal._padding[2]), int(causal._padding[0]))

    def forward(self, x: Tensor) -> Tensor:
        """x [B, C, 1, rows, columns] → the same rank."""
        return conv2d(x[:, :, 0], self.weight, self.bias, self.stride, self.padding)[:, :, None]


def single_frame_decoder(vae: AutoencoderKLWan) -> nn.Module:
    """The VAE's decoder with every causal convolution replaced; all other parameters are shared with it.

    It is called as `decoder(x, first_chunk=True)`, without the cache that carries frames over.
    """
    shared = {id(parameter): parameter for parameter in vae.decoder.parameters()}
    decoder = copy.deepcopy(vae.decoder, shared)
    for name, module in list(decoder.named_modules()):
        if isinstance(module, WanCausalConv3d):
            decoder.set_submodule(name, FrameConvolution(module))
    return decoder
