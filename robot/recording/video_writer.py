"""Pictures in, an MP4 out, on the recorder's thread."""

# PyAV's own types leave a packet's stream open where the encoder is known.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

from robot.observation import ROWS_PER_SECOND
from robot.recording.features import PIXEL_FORMAT

ENCODER_OPTIONS = {"preset": "ultrafast", "crf": "18", "g": "15", "threads": "1"}
"""Fast, so that recording does not slow the loop's machine; a key picture a second, so that readers can seek."""


class VideoWriter:
    """Frames in, an MP4 with one picture for each of them out.

    Args:
        path: of a file that does not exist.
        size: (width, height).
    """

    def __init__(self, path: Path, size: tuple[int, int]) -> None:
        self._container = av.open(str(path), "w", format="mp4", container_options={"movflags": "+faststart"})
        stream = self._container.add_stream("libx264", rate=ROWS_PER_SECOND, options=ENCODER_OPTIONS)
        stream.width, stream.height = size
        stream.pix_fmt = PIXEL_FORMAT
        self._stream = stream
        self._num_frames = 0

    def add(self, picture: NDArray[np.uint8]) -> None:
        """One picture, uint8 [height, width, 3]."""
        frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24")
        frame.pts = self._num_frames
        self._num_frames += 1
        self._container.mux(self._stream.encode(frame))

    def close(self) -> None:
        """Write what is left, and the file's end."""
        self._container.mux(self._stream.encode(None))
        self._container.close()
