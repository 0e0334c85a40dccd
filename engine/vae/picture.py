"""The Wan 2.2 VAE (diffusers' `AutoencoderKLWan`) around a checkpoint's own tensors, decoding single frames.

Its convolutions look back two frames in time. Before the first frame stand zeros, so for a single frame two thirds of
each kernel multiply nothing; what is left is an ordinary convolution with the kernel's last slice: the same answer for
a third of the work.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from pathlib import Path

import torch
from diffusers.models.autoencoders.autoencoder_kl_wan import AutoencoderKLWan, WanCausalConv3d, unpatchify
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn.functional import adaptive_avg_pool2d, conv2d, pad, pixel_shuffle, pixel_unshuffle, unfold

from engine.vae.clip import LatentScale
from engine.vae.kernels import use_gpu_kernels, use_processor_kernels
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


PIXELS_PER_CELL = 4
"""Along a cell's side: a preview has a quarter of the picture's width."""

NEIGHBOURHOOD = 3
"""Cells along a side; with the middle one alone the sketch explains a tenth as much of speck's pixels."""

FIT_CELLS = 40
"""Along the side of the random latents: 1,444 equations for 433 unknowns."""

RIDGE = 1.0
"""Added to the diagonal of the normal equations: the fit is solvable for any decoder, and small where it is unsure."""


@dataclass(frozen=True)
class Sketch:
    """One linear map from a latent cell and its neighbours to 4 x 4 pixels, float32.

    A real decode costs more than a denoising step. This costs one small convolution and shows shapes and colours. It is
    fitted once, when a checkpoint is loaded, by least squares on what its own VAE makes of random latents.

    Attributes:
        weight: [3 * 4 * 4, C, 3, 3].
        bias: [3 * 4 * 4].
    """

    weight: Tensor
    bias: Tensor

    def draw(self, latents: Tensor) -> Tensor:
        """latents [C, 1, rows, columns] → [3, rows * 4, columns * 4] float32, mostly in -1..1."""
        return pixel_shuffle(conv2d(_bordered(latents), self.weight, self.bias), PIXELS_PER_CELL)[0]


def fit_sketch(decoder: PictureDecoder) -> Sketch:
    """The best linear sketch of a decoder over smoothed normal latents, which pictures resemble in scale."""
    device, num_channels = decoder.vae.device, decoder.num_channels
    generator = torch.Generator("cpu").manual_seed(0)
    latents = torch.randn((num_channels, 1, FIT_CELLS, FIT_CELLS), generator=generator).to(device)
    latents = (latents + latents.roll(1, 2) + latents.roll(1, 3)) / 3**0.5
    pixels = adaptive_avg_pool2d(decoder.decode(latents)[None], FIT_CELLS * PIXELS_PER_CELL)
    # The outermost cells are left out: beyond them the decoder sees zeros, which no other cell does.
    inner = slice(1, -1)
    targets = pixel_unshuffle(pixels, PIXELS_PER_CELL)[0, :, inner, inner].flatten(1).T
    cells = unfold(latents.transpose(0, 1), NEIGHBOURHOOD)[0].T
    mean = targets.mean(0)
    gram = cells.T @ cells + RIDGE * torch.eye(cells.shape[1], device=device)
    weight = torch.linalg.solve(gram, cells.T @ (targets - mean)).T
    return Sketch(weight.reshape(-1, num_channels, NEIGHBOURHOOD, NEIGHBOURHOOD), mean)


def _bordered(latents: Tensor) -> Tensor:
    """latents [C, 1, rows, columns] → [1, C, rows + 2, columns + 2] float32, the edge cells repeated."""
    return pad(latents.transpose(0, 1).float(), (1, 1, 1, 1), mode="replicate")
