"""A sketch of the VAE's decoder: one linear map from a latent cell and its neighbours to 4 x 4 pixels.

A real decode costs more than a denoising step. This costs one small convolution and shows shapes and colours. It is
fitted once, when a checkpoint is loaded, by least squares on what that checkpoint's own VAE makes of random latents.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import adaptive_avg_pool2d, conv2d, pad, pixel_shuffle, pixel_unshuffle, unfold

from engine.vae.picture import PictureDecoder

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
    """The fitted map, float32.

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
