"""The Wan 2.2 VAE (diffusers' `AutoencoderKLWan`) around a checkpoint's own tensors, decoding single frames."""

from __future__ import annotations

from pathlib import Path

import torch
from diffusers.models.autoencoders.autoencoder_kl_wan import AutoencoderKLWan, unpatchify
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from engine.vae.gpu_kernels import use_gpu_kernels
from engine.vae.processor_kernels import use_processor_kernels
from engine.vae.scale import LatentScale
from engine.vae.single_frame import single_frame_decoder
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
