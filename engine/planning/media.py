"""What a request was given besides words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from torch import Tensor


class Encode(Protocol):
    """The way from pixels to latents."""

    def __call__(self, frames: np.ndarray | Tensor, fit: Callable[[Tensor], Tensor] | None = None) -> Tensor:
        """From uint8 [4k+1, height, width, 3] to normalised latents [C, k+1, rows, columns], float32.

        Pixels that were never rounded come as float32 [4k+1, 3, height, width] in -1..1.

        Args:
            fit: changes the size of pixels [T, 3, height, width] in -1..1 first; it is given a few frames at a time.
        """
        ...


@dataclass(frozen=True)
class Media:
    """Pixels by the name of the request's field, and the way from pixels to latents.

    Attributes:
        frames: uint8 [T, height, width, 3] at the request's canvas and frame rate; a picture is one frame.
        encode: see `Encode`.
    """

    frames: Mapping[str, np.ndarray]
    encode: Encode


def padded(frames: np.ndarray, length: int) -> np.ndarray:
    """The first `length` frames; of a shorter clip the last one is repeated."""
    short = length - len(frames)
    return frames[:length] if short <= 0 else np.concatenate([frames, np.repeat(frames[-1:], short, axis=0)])
