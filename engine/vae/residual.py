"""The VAE's residual blocks with channels last in memory: what stands between convolutions takes one trip to it.

PyTorch adds a convolution's bias in a kernel of its own. Here whatever reads the convolution's result next adds it: the
normalisation behind the first one, the sum behind the second. Each value is rounded where it was rounded before.
"""

from __future__ import annotations

from importlib.util import find_spec

import torch
from diffusers.models.autoencoders.autoencoder_kl_wan import WanCausalConv3d, WanResidualBlock, WanRMS_norm
from torch import Tensor, nn
from torch.nn.functional import normalize, silu

HAS_TRITON = find_spec("triton") is not None

REMEMBERED = 2
"""Frames that a convolution looks back at."""


def activated_rows(rows: Tensor, bias: Tensor | None, gain: Tensor, scale: float) -> Tensor:
    """Rows [n, C] and a bias [C] at length `scale`, times a gain [C], through a SiLU."""
    rows = rows if bias is None else rows + bias
    return silu(normalize(rows.float(), dim=1).to(rows.dtype) * scale * gain)


def added_rows(rows: Tensor, bias: Tensor, added: Tensor) -> Tensor:
    """rows [n, C] + bias [C] + added [n, C], rounded after either sum."""
    return rows + bias + added


class ActivatedNorm(nn.Module):
    """`WanRMS_norm` and the SiLU behind it.

    Args:
        bias: [C], of the convolution before it, which does not add it.
    """

    def __init__(self, norm: nn.Module, bias: nn.Parameter | None = None) -> None:
        super().__init__()
        assert isinstance(norm, WanRMS_norm)
        self.gamma, self.scale, self.bias = norm.gamma, norm.scale, bias

    def forward(self, x: Tensor) -> Tensor:
        """x [B, C, T, rows, columns] → the same shape."""
        last = x.movedim(1, -1).contiguous()
        rows, gain = last.flatten(0, -2), self.gamma.flatten()
        if rows.is_cuda and HAS_TRITON:
            from engine.vae.norm_kernel import activated_rows_on_gpu

            made = activated_rows_on_gpu(rows, self.bias, gain, self.scale)
        else:
            made = activated_rows(rows, self.bias, gain, self.scale)
        return made.view(last.shape).movedim(-1, 1)


class BiasedSum(nn.Module):
    """A convolution's result, its bias and the block's own input.

    Args:
        bias: [C], of the convolution, which does not add it.
    """

    def __init__(self, bias: nn.Parameter) -> None:
        super().__init__()
        self.bias = bias

    def forward(self, x: Tensor, added: Tensor) -> Tensor:
        """x and `added` [B, C, T, rows, columns] → the same shape."""
        last, beside = x.movedim(1, -1).contiguous(), added.movedim(1, -1).contiguous()
        rows = last.flatten(0, -2)
        if rows.is_cuda and HAS_TRITON:
            from engine.vae.norm_kernel import added_rows_on_gpu

            made = added_rows_on_gpu(rows, self.bias, beside.flatten(0, -2))
        else:
            made = added_rows(rows, self.bias, beside.flatten(0, -2))
        return made.view(last.shape).movedim(-1, 1)


class ResidualBlock(nn.Module):
    """`WanResidualBlock` with a SiLU and without its dropout; it takes the convolutions' biases away."""

    def __init__(self, block: WanResidualBlock) -> None:
        super().__init__()
        self.conv1, self.conv2, self.conv_shortcut = block.conv1, block.conv2, block.conv_shortcut
        self.norm1 = ActivatedNorm(block.norm1)
        self.norm2 = ActivatedNorm(block.norm2, _taken_bias(block.conv1))
        self.sum = BiasedSum(_taken_bias(block.conv2))

    def forward(
        self, x: Tensor, feat_cache: list[Tensor | None] | None = None, feat_idx: list[int] | None = None
    ) -> Tensor:
        """x [1, C, T, rows, columns] → [1, outputs, T, rows, columns]; called as the library calls its own."""
        beside = self.conv_shortcut(x)
        x = _convolved(self.conv1, self.norm1(x), feat_cache, feat_idx)
        x = _convolved(self.conv2, self.norm2(x), feat_cache, feat_idx)
        return self.sum(x, beside)


def _taken_bias(convolution: WanCausalConv3d) -> nn.Parameter:
    bias = convolution.bias
    assert isinstance(bias, nn.Parameter)
    convolution.bias = None
    return bias


def _convolved(
    convolution: nn.Module, x: Tensor, memory: list[Tensor | None] | None, place: list[int] | None
) -> Tensor:
    """x through a convolution that sees what the memory has at this place of earlier frames; its last stay there."""
    if memory is None:
        return convolution(x)
    assert place is not None
    earlier = memory[place[0]]
    last = x[:, :, -REMEMBERED:].clone()
    if last.shape[2] < REMEMBERED and earlier is not None:
        last = torch.cat([earlier[:, :, -1:], last], 2)
    made = convolution(x, earlier)
    memory[place[0]] = last
    place[0] += 1
    return made
