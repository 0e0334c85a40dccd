"""Clips to latents and back, a few frames at a time.

The VAE is causal: its first latent frame stands for one frame, each later one for four, and none depends on what
follows. What its convolutions remember of earlier frames is kept between pieces, so that memory is bounded by four
frames whatever the clip's length, and a prefix of a clip has exactly the prefix of its latents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np
import torch
from diffusers.models.autoencoders.autoencoder_kl_wan import (
    AutoencoderKLWan,
    WanCausalConv3d,
    patchify,
    unpatchify,
)
from torch import Tensor, nn

from studio.requests.frames import TEMPORAL_STRIDE

CELLS_PER_PIECE = 80 * 45
"""Latent cells that a GPU decodes at once: those of one frame at 720p. Smaller pieces leave it waiting for launches."""


class LatentScale:
    """The VAE's own mean and deviation of each channel."""

    def __init__(self, vae: AutoencoderKLWan) -> None:
        like = {"dtype": vae.dtype, "device": vae.device}
        self._mean = torch.tensor(vae.config["latents_mean"], **like).view(1, -1, 1, 1, 1)
        # The reference rounds 1 / std and divides by it; so does this.
        self._inverse_std = (1.0 / torch.tensor(vae.config["latents_std"], **like)).view(1, -1, 1, 1, 1)

    def raw(self, latents: Tensor) -> Tensor:
        """Normalised latents [B, C, T, rows, columns] → the VAE's, in its dtype."""
        return latents.to(self._mean.dtype) / self._inverse_std + self._mean

    def normal(self, raw: Tensor) -> Tensor:
        """The VAE's latents → normalised ones, float32."""
        return ((raw - self._mean) * self._inverse_std).float()


Memory = list[Tensor | None]
"""What each causal convolution of a coder remembers of a clip's earlier frames."""


class Frames(Protocol):
    """A clip that hands out a few frames at a time, uint8 [length, height, width, 3], wherever it has them from."""

    @property
    def shape(self) -> tuple[int, ...]:
        """(length, height, width, 3)."""
        ...

    def __len__(self) -> int: ...

    def __getitem__(self, wanted: slice, /) -> np.ndarray:
        """uint8 [n, height, width, 3]."""
        ...


class ClipCoder:
    """Encodes and decodes with one VAE."""

    def __init__(self, vae: AutoencoderKLWan) -> None:
        self.vae = vae
        self._scale = LatentScale(vae)
        self._patch = vae.config["patch_size"] or 1

    def encode(self, frames: np.ndarray | Frames | Tensor, fit: Callable[[Tensor], Tensor] | None = None) -> Tensor:
        """frames uint8 [4k+1, height, width, 3] → normalised latents [C, k+1, rows, columns] float32, on the device.

        Frames that are a tensor are pixels already: float32 [4k+1, 3, height, width] in -1..1.

        Args:
            fit: changes the size of pixels [T, 3, height, width] in -1..1 first.
        """
        assert len(frames) % TEMPORAL_STRIDE == 1
        memory = empty_memory(self.vae.encoder)
        latents: list[Tensor] = []
        for start in [0, *range(1, len(frames), TEMPORAL_STRIDE)]:
            piece = frames[start : start + TEMPORAL_STRIDE] if start else frames[:1]
            cells = self.vae.encoder(self._patches(piece, fit), feat_cache=memory, feat_idx=[0])
            # The first half of the channels is the distribution's mean, which is its mode.
            mean = self.vae.quant_conv(cells).chunk(2, 1)[0]
            latents.append(self._scale.normal(mean))
        return torch.cat(latents, 2)[0]

    def decode(self, latents: Tensor, at_once: int | None = None) -> Iterator[Tensor]:
        """latents [C, T, rows, columns] float32 → pieces [3, 1, height, width], then [3, 4n, ...], float32 in -1..1.

        Args:
            at_once: latent frames of a piece that there is room for.
        """
        memory = empty_memory(self.vae.decoder)
        for group in latents.split(self.piece_lengths(latents, at_once), 1):
            yield in_range(self.pixels(self.vae.decoder, group, memory))

    def pixels(self, decoder: nn.Module, latents: Tensor, memory: Memory) -> Tensor:
        """The next latents [C, n, rows, columns] of a clip → [3, frames, height, width] as the VAE computes.

        Args:
            decoder: the VAE's, or one that is called as it is.
            memory: what it remembers of the clip so far; changed.
        """
        cells = self.vae.post_quant_conv(self._scale.raw(latents[None]))
        made = decoder(cells, feat_cache=memory, feat_idx=[0], first_chunk=memory[0] is None)
        return unpatchify(made, self._patch)[0]

    def piece_lengths(self, latents: Tensor, at_once: int | None = None, num_ranks: int = 1) -> list[int]:
        """Latent frames of each piece: the first is alone, and on a GPU small ones go together.

        Args:
            at_once: of a piece, at most.
            num_ranks: which have a part of each frame.
        """
        _, length, rows, columns = latents.shape
        size = max(1, num_ranks * CELLS_PER_PIECE // (rows * columns)) if latents.is_cuda else 1
        size = size if at_once is None else min(size, at_once)
        return [1, *(min(size, length - start) for start in range(1, length, size))]

    def _patches(self, frames: np.ndarray | Tensor, fit: Callable[[Tensor], Tensor] | None) -> Tensor:
        """What the encoder reads of some frames, [1, 3 * patch * patch, T, rows, columns]; no pixels are kept."""
        pixels = self._pixels(frames)
        if fit is not None:
            pixels = fit(pixels)
        return patchify(pixels.transpose(0, 1)[None].to(self.vae.dtype), self._patch)

    def _pixels(self, frames: np.ndarray | Tensor) -> Tensor:
        """[T, 3, height, width] float32 in -1..1."""
        if isinstance(frames, Tensor):
            return frames.to(self.vae.device)
        levels = torch.from_numpy(np.ascontiguousarray(frames)).to(self.vae.device)
        return levels.permute(0, 3, 1, 2).float().div_(127.5).sub_(1)


def in_range(pixels: Tensor) -> Tensor:
    """float32 in -1..1."""
    return pixels.float().clamp(-1, 1)


def empty_memory(coder: nn.Module) -> Memory:
    """Before the first piece of a clip."""
    return [None] * sum(isinstance(module, WanCausalConv3d) for module in coder.modules())


STRIP_CELLS = 24
"""Across a strip: 384 pixels."""

OVERLAP_CELLS = 4
"""At least, of two neighbours."""

Decode = Callable[[Tensor, int], Iterator[Tensor]]
"""`ClipCoder.decode`."""


def decode_in_strips(
    decode: Decode, latents: Tensor, strip: int = STRIP_CELLS, overlap: int = OVERLAP_CELLS
) -> Iterator[Tensor]:
    """A clip in overlapping strips, where there is no room for whole frames.

    latents [C, T, rows, columns] → pieces [3, 1, height, width], then [3, 4n, ...], float32 in -1..1.

    The strips lie side by side along the longer side. Each has its own memory of earlier frames, and all strips of a
    piece are decoded before the next piece. It is not exact: a strip does not see beyond its edges, and the decoder's
    attention is over the strip. Where strips overlap they are faded into one another.

    Args:
        decode: a piece of one strip, see `ClipCoder.decode`.
        strip: cells across, at most.
        overlap: cells that neighbours have in common, at least.
    """
    axis = 2 if latents.shape[2] > latents.shape[3] else 3
    length = latents.shape[axis]
    starts, cells = strip_starts(length, strip, overlap), min(strip, length)
    # A latent frame at a time: several of a strip would take what strips are there to save.
    running = [decode(latents.narrow(axis, start, cells), 1) for start in starts]
    for pieces in zip(*running, strict=True):
        side = pieces[0].shape[axis] // cells  # pixels of a cell
        yield _together(list(pieces), [start * side for start in starts], length * side, axis)


def _together(pieces: list[Tensor], starts: list[int], length: int, axis: int) -> Tensor:
    """Strips [3, n, height, width] from their first pixels on, along an axis of so many."""
    width = pieces[0].shape[axis]
    shape = list(pieces[0].shape)
    shape[axis] = length
    whole, total = pieces[0].new_zeros(shape), pieces[0].new_zeros(length)
    rising = torch.arange(1, width + 1, dtype=whole.dtype, device=whole.device)
    weight = torch.minimum(rising, rising.flip(0))  # from the edges to the middle, nowhere 0
    along = [1] * 4
    along[axis] = -1
    for piece, start in zip(pieces, starts, strict=True):
        whole.narrow(axis, start, width).add_(piece * weight.view(along))
        total.narrow(0, start, width).add_(weight)
    return whole / total.view(along)


def strip_starts(length: int, strip: int = STRIP_CELLS, overlap: int = OVERLAP_CELLS) -> list[int]:
    """Where strips begin, evenly: 52 cells in strips of 24 with 4 in common begin at 0, 14 and 28."""
    if length <= strip:
        return [0]
    count = -(-(length - overlap) // (strip - overlap))
    return [round(index * (length - strip) / (count - 1)) for index in range(count)]
