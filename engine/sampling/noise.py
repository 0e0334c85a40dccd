"""Noise that means the same everywhere: one seed is one result, on every device and in diffusers."""

from __future__ import annotations

import torch
from torch import Tensor


class Noise:
    """Standard normal values in float32, from one generator on the CPU: what is asked for first comes first.

    A plan asks for its segments in order (vision, then sound, then action), then for what its steps add.
    """

    def __init__(self, seed: int) -> None:
        self._generator = torch.Generator("cpu").manual_seed(seed)

    def draw(self, shape: tuple[int, ...]) -> Tensor:
        """The next values."""
        return torch.randn(shape, generator=self._generator, dtype=torch.float32)
