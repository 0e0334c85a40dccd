"""The Wan VAE on a processor: the same sums by quicker kernels.

PyTorch 2.13 keeps three-dimensional convolutions of few channels away from oneDNN and sums squares over channels one
at a time. Measured with speck's VAE and one thread at 128x128: 68 ms and 8 ms for a convolution of eight channels over
six frames, 25 ms and 1 ms for a normalisation. A VAE of many channels takes oneDNN either way.
"""

from __future__ import annotations

import torch
from diffusers.models.autoencoders.autoencoder_kl_wan import AutoencoderKLWan, WanCausalConv3d, WanRMS_norm
from torch import Tensor, nn
from torch.nn.functional import pad

NEARLY_NOTHING = 1e-12
"""Below this a cell's length counts as this, as in `torch.nn.functional.normalize`."""


class OneDnnConvolution(WanCausalConv3d):
    """A causal convolution with another one's weights."""

    def __init__(self, causal: WanCausalConv3d) -> None:
        # Padding as it was given: the library keeps (left, right, top, bottom, earlier, later).
        across, down, earlier = (int(causal._padding[index]) for index in (0, 2, 4))
        with torch.device("meta"):
            super().__init__(
                causal.in_channels,
                causal.out_channels,
                (causal.kernel_size[0], causal.kernel_size[1], causal.kernel_size[2]),
                (causal.stride[0], causal.stride[1], causal.stride[2]),
                (earlier // 2, down, across),
            )
        self.weight, self.bias = causal.weight, causal.bias
        self._earlier, self._around = earlier, (0, down, across)

    def forward(self, x: Tensor, cache_x: Tensor | None = None) -> Tensor:
        """x [1, C, T, rows, columns] behind the frames that are remembered of earlier ones."""
        earlier = self._earlier
        if cache_x is not None and earlier > 0:
            x = torch.cat([cache_x, x], 2)
            earlier -= cache_x.shape[2]
        if earlier > 0:
            x = pad(x, (0, 0, 0, 0, earlier, 0))
        return torch.mkldnn_convolution(
            x, self.weight, self.bias, self._around, self.stride, self.dilation, self.groups
        )


class ChannelNorm(nn.Module):
    """Every cell's channels at the length of the root of their number, times a gain."""

    def __init__(self, norm: WanRMS_norm) -> None:
        super().__init__()
        self.gamma, self.bias, self.scale = norm.gamma, norm.bias, norm.scale

    def forward(self, x: Tensor) -> Tensor:
        """x [B, C, ...] → the same shape."""
        length = x.square().sum(1, keepdim=True).sqrt_().clamp_min_(NEARLY_NOTHING)
        return (x / length).mul_(self.scale).mul_(self.gamma).add_(self.bias)


def use_processor_kernels(vae: AutoencoderKLWan) -> None:
    """Replace what is slow, in place. In another dtype than float32, and without oneDNN, the VAE stays as it is."""
    if vae.dtype != torch.float32 or not torch.backends.mkldnn.is_available():
        return
    for name, module in list(vae.named_modules()):
        if isinstance(module, WanCausalConv3d):
            vae.set_submodule(name, OneDnnConvolution(module))
        elif isinstance(module, WanRMS_norm) and module.channel_first:
            vae.set_submodule(name, ChannelNorm(module))
