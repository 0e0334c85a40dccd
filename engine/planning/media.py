"""What a request was given besides words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from torch import Tensor


class Encode(Protocol):
    """The way from pixels to latents."""

    def __call__(
        self, frames: np.ndarray | HeldFrames | Tensor, fit: Callable[[Tensor], Tensor] | None = None
    ) -> Tensor:
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


@dataclass(frozen=True)
class HeldFrames:
    """A clip that stands still at its end: its last frame is shown again and again, and kept once.

    Attributes:
        frames: uint8 [T, height, width, 3].
        length: frames that it shows, more than T.
    """

    frames: np.ndarray
    length: int

    @property
    def shape(self) -> tuple[int, ...]:
        """(length, height, width, 3)."""
        return (self.length, *self.frames.shape[1:])

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, wanted: slice) -> np.ndarray:
        """A copy of a few frames, uint8 [n, height, width, 3]."""
        return self.frames[np.minimum(np.arange(self.length)[wanted], len(self.frames) - 1)]


def padded(frames: np.ndarray, length: int) -> np.ndarray | HeldFrames:
    """The first `length` frames; of a shorter clip the last one is repeated. Nothing is copied."""
    return frames[:length] if length <= len(frames) else HeldFrames(frames, length)
