"""The Wan 2.2 VAE (diffusers' `AutoencoderKLWan`) around a checkpoint's own tensors, decoding single frames.

Its convolutions look back two frames in time. Before the first frame stand zeros, so for a single frame two thirds of
each kernel multiply nothing; what is left is an ordinary convolution with the kernel's last slice: the same answer for
a third of the work.
"""

from __future__ import annotations

import copy
from pathlib import Path

import torch
from diffusers.models.autoencoders.autoencoder_kl_wan import AutoencoderKLWan, WanCausalConv3d, unpatchify
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn.functional import conv2d

from engine.vae.clip import LatentScale
from engine.vae.gpu_kernels import use_gpu_kernels
from engine.vae.processor_kernels import use_processor_kernels
from studio.checkpoints import read_json
from studio.errors import BrokenCheckpoint


class PictureDecoder:
    """Normalised latents to pixels.

    Attributes:
        single: the VAE's decoder for one frame, which shares most of its weights.
    """

    def __init__(self, vae: AutoencoderKLWan) -> None:
        self.vae = vae
        self.single = single_frame_decoder(vae)
        self._scale = LatentScale(vae)

    @property
    def num_channels(self) -> int:
        """Of the latents."""
        return self.vae.config["z_dim"]

    @property
    def width(self) -> int:
        """Channels of the VAE's decoder where it is narrowest."""
        return self.vae.config["decoder_base_dim"] or self.vae.config["base_dim"]

    def decode(self, latents: Tensor) -> Tensor:
        """latents [C, 1, rows, columns], float32 → [3, height, width] float32 in -1..1."""
        cells = self.single(self.vae.post_quant_conv(self._scale.raw(latents[None])), first_chunk=True)
        return unpatchify(cells, self.vae.config["patch_size"] or 1)[0, :, 0].float().clamp(-1, 1)


def read_vae(folder: Path, device: torch.device, dtype: torch.dtype) -> PictureDecoder:
    """The VAE of a checkpoint's `vae/`.

    Raises:
        BrokenCheckpoint: its weights cannot be read, or are not those that its configuration asks for.
    """
    config = read_json(folder / "config.json")
    with torch.device("meta"):
        vae = AutoencoderKLWan.from_config(config)
    assert isinstance(vae, AutoencoderKLWan)
    try:
        weights: dict[str, Tensor] = {}
        for shard in sorted(folder.glob("*.safetensors")):
            weights |= load_file(shard, device=str(device))
        vae.load_state_dict({name: tensor.to(dtype) for name, tensor in weights.items()}, strict=True, assign=True)
    except (SafetensorError, OSError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise BrokenCheckpoint(f"{folder} cannot be read: {reason}", param="checkpoint") from None
    vae.eval().requires_grad_(False)
    if device.type == "cpu":
        use_processor_kernels(vae)
    elif device.type == "cuda":
        use_gpu_kernels(vae)
    return PictureDecoder(vae)


def to_levels(pixels: Tensor) -> Tensor:
    """pixels [3, ..., height, width] in -1..1, what lies outside cut off → [..., height, width, 3] uint8, rounded."""
    levels = ((pixels.clamp(-1, 1) + 1) * 127.5).round().to(torch.uint8)
    return levels.movedim(0, -1).contiguous()


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
