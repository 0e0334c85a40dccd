"""Latents to vision tokens and back: one token is 2 x 2 latent cells, 32 x 32 pixels."""

from __future__ import annotations

from torch import Tensor
from torch.nn.functional import pad


def patchify(latents: Tensor, patch: int) -> Tensor:
    """latents [C, T, rows, columns] → [tokens, patch * patch * C], row by row, cells before channels.

    An odd number of rows or columns is padded with zeros: 720 pixels are 45 rows, which make 23 rows of tokens.
    """
    channels, _, rows, columns = latents.shape
    if rows % patch or columns % patch:
        latents = pad(latents, (0, -columns % patch, 0, -rows % patch))
    cells = latents.unflatten(3, (-1, patch)).unflatten(2, (-1, patch))  # [C, T, h, p, w, q]
    return cells.permute(1, 2, 4, 3, 5, 0).reshape(-1, patch * patch * channels)


def unpatchify(tokens: Tensor, shape: tuple[int, int, int, int], patch: int) -> Tensor:
    """The inverse: tokens [tokens, patch * patch * C] → latents of `shape`, the padding dropped."""
    channels, frames, rows, columns = shape
    height, width = -(-rows // patch), -(-columns // patch)
    cells = tokens.view(frames, height, width, patch, patch, channels).permute(5, 0, 1, 3, 2, 4)
    return cells.reshape(channels, frames, height * patch, width * patch)[:, :, :rows, :columns]
