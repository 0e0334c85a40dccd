"""Noise that means the same everywhere: one seed is one picture, on every device and in diffusers."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor


def draw_noise(shapes: Sequence[tuple[int, ...]], seed: int) -> list[Tensor]:
    """Standard normal values on the CPU in float32, a tensor for each shape.

    They come from one `torch.Generator`, in the order of `shapes`: vision, then sound, then action.
    """
    generator = torch.Generator("cpu").manual_seed(seed)
    return [torch.randn(shape, generator=generator, dtype=torch.float32) for shape in shapes]
