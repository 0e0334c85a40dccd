"""The Wan VAE by quicker kernels: the same sums.

On a GPU, channels lie next to one another in memory, with fewer trips to it. As diffusers 0.42 writes it, a frame is
padded by a copy before every convolution, normalised in six passes, and widened to float32 to be enlarged. Here cuDNN
pads, one kernel normalises and activates (`engine.vae.residual`), and nothing is widened.

On a processor, PyTorch 2.13 keeps three-dimensional convolutions of few channels away from oneDNN and sums squares over
channels one at a time. Measured with speck's VAE and one thread at 128x128: 68 ms and 8 ms for a convolution of eight
channels over six frames, 25 ms and 1 ms for a normalisation. A VAE of many channels takes oneDNN either way.
"""

from __future__ import annotations

from typing import cast

import torch
from diffusers.models.autoencoders.autoencoder_kl_wan import (
    AutoencoderKLWan,
    DupUp3D,
    WanCausalConv3d,
    WanResidualBlock,
    WanRMS_norm,
    WanUpsample,
)
from torch import Tensor, nn
from torch.nn.functional import pad

from engine.vae.residual import ActivatedNorm, ResidualBlock


class CopiedConvolution(WanCausalConv3d):
    """A causal convolution with another one's weights, which pads rows and columns as it goes."""

    def __init__(self, causal: WanCausalConv3d) -> None:
        # Padding as it was given: the library keeps (left, right, top, bottom, earlier, later).
        across, down, earlier = (int(causal._padding[index]) for index in (0, 2, 4))
        with torch.device("meta"):
            super().__init__(
                causal.in_channels,
                causal.out_channels,
                cast(tuple[int, int, int], causal.kernel_size),
                cast(tuple[int, int, int], causal.stride),
                (earlier // 2, down, across),
            )
        self.weight, self.bias = causal.weight, causal.bias
        self._earlier, self._around = earlier, (0, down, across)

    def behind(self, cache_x: Tensor | None, x: Tensor) -> Tensor:
        """x [1, C, T, rows, columns] behind the frames that are remembered of earlier ones, and zeros before them."""
        earlier = self._earlier
        if cache_x is not None and earlier > 0:
            x = torch.cat([cache_x, x], 2)
            earlier -= cache_x.shape[2]
        return pad(x, (0, 0, 0, 0, earlier, 0)) if earlier > 0 else x


class PaddingConvolution(CopiedConvolution):
    """The same with channels last in memory, on a GPU."""

    def __init__(self, causal: WanCausalConv3d) -> None:
        super().__init__(causal)
        weight = causal.weight.detach().contiguous(memory_format=torch.channels_last_3d)
        self.weight = nn.Parameter(weight, requires_grad=False)

    def forward(self, x: Tensor, cache_x: Tensor | None = None) -> Tensor:
        """x [1, C, T, rows, columns], and what is remembered of earlier frames."""
        x = self.behind(cache_x, x).contiguous(memory_format=torch.channels_last_3d)
        return torch.conv3d(x, self.weight, self.bias, self.stride, self._around, self.dilation, self.groups)


class OneDnnConvolution(CopiedConvolution):
    """The same by oneDNN, on a processor."""

    def forward(self, x: Tensor, cache_x: Tensor | None = None) -> Tensor:
        """x [1, C, T, rows, columns], and what is remembered of earlier frames."""
        x = self.behind(cache_x, x)
        return torch.mkldnn_convolution(
            x, self.weight, self.bias, self._around, self.stride, self.dilation, self.groups
        )


class Enlargement(nn.Module):
    """Every cell four times, in the precision that it has."""

    def forward(self, x: Tensor) -> Tensor:
        """x [B, C, rows, columns] → [B, C, 2 * rows, 2 * columns]."""
        return torch.nn.functional.interpolate(x, scale_factor=2.0, mode="nearest-exact")


class Repetition(nn.Module):
    """`DupUp3D`: each channel's values spread over the cells that it becomes, channels staying last in memory."""

    def __init__(self, layer: DupUp3D) -> None:
        super().__init__()
        self._repeats, self._time, self._space = layer.repeats, layer.factor_t, layer.factor_s

    def forward(self, x: Tensor, first_chunk: bool = False) -> Tensor:
        """x [1, C, T, rows, columns] → [1, outputs, T * time, rows * space, columns * space]."""
        time, space = self._time, self._space
        last = x.movedim(1, -1).repeat_interleave(self._repeats, -1)  # [1, T, h, w, outputs * factors]
        cells = last.unflatten(-1, (-1, time, space, space))  # [1, T, h, w, o, t, p, q]
        spread = cells.permute(0, 1, 5, 2, 6, 3, 7, 4)  # [1, T, t, h, p, w, q, o]
        made = spread.flatten(5, 6).flatten(3, 4).flatten(1, 2).movedim(-1, 1)
        return made[:, :, time - 1 :] if first_chunk else made


def use_gpu_kernels(vae: AutoencoderKLWan) -> None:
    """Replace what is slow, in place."""
    for name, module in list(vae.named_modules()):
        if isinstance(module, WanCausalConv3d):
            vae.set_submodule(name, PaddingConvolution(module))
        elif isinstance(module, WanUpsample):
            vae.set_submodule(name, Enlargement())
        elif isinstance(module, DupUp3D):
            vae.set_submodule(name, Repetition(module))
        elif isinstance(module, nn.Conv2d):
            module.weight.data = module.weight.data.contiguous(memory_format=torch.channels_last)
    for name, module in list(vae.named_modules()):
        if isinstance(module, WanResidualBlock) and isinstance(module.nonlinearity, nn.SiLU):
            vae.set_submodule(name, ResidualBlock(module))
    for coder in (vae.encoder, vae.decoder):
        if isinstance(coder.nonlinearity, nn.SiLU):
            coder.set_submodule("norm_out", ActivatedNorm(coder.get_submodule("norm_out")))
            coder.nonlinearity = nn.Identity()


NEARLY_NOTHING = 1e-12
"""Below this a cell's length counts as this, as in `torch.nn.functional.normalize`."""


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
