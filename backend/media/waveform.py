"""How loud a clip's sound is over its length, for drawing it under the clip."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from backend.media.apart import draw_apart
from backend.media.sound import read_sound
from studio.library import Waveform

NUM_PEAKS = 800
"""Stretches of time: one for each pixel of a wide player."""

RATE = 8000
"""Samples per second that are looked at: enough to see where it is loud, and 600 s are 38 MB."""


@draw_apart
def read_waveform(path: Path) -> Waveform:
    """The loudest magnitude of each stretch.

    Raises:
        BadInput: the clip has no sound, or it cannot be decoded.
    """
    samples = read_sound(path, RATE)
    num_channels, num_samples = samples.shape
    count = min(NUM_PEAKS, num_samples)
    edges = np.arange(count) * num_samples // count
    peaks = np.maximum.reduceat(np.abs(samples), edges, axis=1).clip(0, 1)
    return Waveform(
        duration_s=num_samples / RATE,
        num_channels=num_channels,
        peaks=tuple(tuple(round(float(peak), 4) for peak in channel) for channel in peaks),
    )
