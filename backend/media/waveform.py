"""How loud a clip's sound is over its length, for drawing it under the clip."""

from __future__ import annotations

from pathlib import Path

import av
import numpy as np
from av.audio.resampler import AudioResampler
from av.error import FFmpegError
from numpy.typing import NDArray

from backend.media.clip_file import CONTAINERS
from studio.errors import BadInput
from studio.library import Waveform

NUM_PEAKS = 800
"""Stretches of time: one for each pixel of a wide player."""

RATE = 8000
"""Samples per second that are looked at: enough to see where it is loud, and 600 s are 38 MB."""


def read_waveform(path: Path) -> Waveform:
    """The loudest magnitude of each stretch.

    Raises:
        BadInput: the clip has no sound, or it cannot be decoded.
    """
    samples = _decoded(path)
    num_channels, num_samples = samples.shape
    count = min(NUM_PEAKS, num_samples)
    edges = np.arange(count) * num_samples // count
    peaks = np.maximum.reduceat(np.abs(samples), edges, axis=1).clip(0, 1)
    return Waveform(
        duration_s=num_samples / RATE,
        num_channels=num_channels,
        peaks=tuple(tuple(round(float(peak), 4) for peak in channel) for channel in peaks),
    )


def _decoded(path: Path) -> NDArray[np.float32]:
    """float32 [channels, samples] at `RATE`, one channel or two."""
    pieces: list[NDArray[np.float32]] = []
    options = {"format_whitelist": CONTAINERS, "protocol_whitelist": "file"}
    try:
        with av.open(str(path), "r", options=options, metadata_errors="replace") as container:
            if not container.streams.audio:
                raise BadInput("The clip has no sound.", param="media_id")
            stream = container.streams.audio[0]
            layout = "mono" if stream.channels == 1 else "stereo"
            resampler = AudioResampler(format="fltp", layout=layout, rate=RATE)
            for frame in container.decode(stream):
                pieces += [np.asarray(piece.to_ndarray(), np.float32) for piece in resampler.resample(frame)]
            pieces += [np.asarray(piece.to_ndarray(), np.float32) for piece in resampler.resample(None)]
    except FFmpegError as error:
        raise BadInput(f"The clip's sound cannot be decoded: {error.strerror}.", param="media_id") from None
    if not pieces or not sum(piece.shape[1] for piece in pieces):
        raise BadInput("The clip's sound is empty.", param="media_id")
    return np.concatenate(pieces, axis=1)
