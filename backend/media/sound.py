"""The sound of a clip as samples, and how loud it is over its length."""

from __future__ import annotations

from pathlib import Path

import av
import numpy as np
from av.audio.resampler import AudioResampler
from av.error import FFmpegError
from numpy.typing import NDArray

from backend.media.apart import draw_apart
from backend.media.bounds import MAX_CLIP_S, check_sound
from backend.media.clip_file import CONTAINERS
from studio.errors import BadInput
from studio.library import Waveform


@draw_apart
def read_sound(path: Path, rate: int, *, stereo: bool = False) -> NDArray[np.float32]:
    """float32 [channels, samples] of the first track; a minute of stereo at 48 kHz is 23 MB.

    Args:
        rate: samples per second.
        stereo: always two channels; else one where the track has one.

    Raises:
        BadInput: the clip has no sound, or it cannot be decoded.
    """
    pieces: list[NDArray[np.float32]] = []
    num_samples, most = 0, round((MAX_CLIP_S + 1) * rate)
    options = {"format_whitelist": CONTAINERS, "protocol_whitelist": "file"}
    try:
        with av.open(str(path), "r", options=options, metadata_errors="replace") as container:
            if not container.streams.audio:
                raise BadInput("The video has no sound.", param="media_id")
            stream = container.streams.audio[0]
            check_sound(stream.rate, stream.channels)
            layout = "mono" if stream.channels == 1 and not stereo else "stereo"
            resampler = AudioResampler(format="fltp", layout=layout, rate=rate)
            for frame in container.decode(stream):
                pieces += [np.asarray(piece.to_ndarray(), np.float32) for piece in resampler.resample(frame)]
                num_samples += round(frame.samples / frame.sample_rate * rate)
                if num_samples > most:
                    raise BadInput(
                        f"The video's sound is longer than {MAX_CLIP_S:.0f} s.",
                        param="media_id",
                        hint="Trim it to the part that you need.",
                    )
            pieces += [np.asarray(piece.to_ndarray(), np.float32) for piece in resampler.resample(None)]
    except FFmpegError as error:
        if isinstance(error, MemoryError):
            raise MemoryError from None
        raise BadInput(f"The video's sound cannot be decoded: {error.strerror}.", param="media_id") from None
    if not pieces or not sum(piece.shape[1] for piece in pieces):
        raise BadInput("The video's sound is empty.", param="media_id")
    return np.concatenate(pieces, axis=1)


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
