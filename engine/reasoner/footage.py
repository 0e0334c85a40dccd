"""What a conversation shows: pictures and frames of clips, as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Footage:
    """A picture, or the frames of a clip that are to be looked at.

    Attributes:
        frames: uint8 [T, height, width, 3]; a picture is one frame.
        times_s: when each frame is seen, in seconds from the clip's start; a picture has none.
        size: (width, height) as it was shown, where the frames have the size already that they are looked at.
    """

    frames: np.ndarray
    times_s: tuple[float, ...] = ()
    size: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        assert self.frames.dtype == np.uint8
        assert self.frames.ndim == 4
        assert self.frames.shape[3] == 3
        assert len(self.times_s) in (0, len(self.frames))
