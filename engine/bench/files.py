"""Results as files of the kinds that the studio writes: what a person waits for is not done before."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import av
import numpy as np
from PIL import Image

PNG = {"compress_level": 1, "compress_type": 3}
"""The studio's."""

ENCODER = {"preset": "veryfast", "crf": "17"}
"""The studio's (`backend.media.clip_writer`)."""


def write_picture(path: Path, image: np.ndarray) -> None:
    """uint8 [height, width, 3] as PNG."""
    Image.fromarray(image).save(path, "PNG", **PNG)


def write_clip(path: Path, pieces: Iterable[np.ndarray], fps: int) -> None:
    """uint8 [n, height, width, 3], piece after piece, as H.264 in MP4."""
    with av.open(str(path), "w", format="mp4", container_options={"movflags": "+faststart"}) as container:
        stream = container.add_stream("libx264", rate=fps, options=ENCODER)
        stream.pix_fmt = "yuv420p"
        stream.thread_type = "FRAME"  # type: ignore[assignment]
        for index, piece in enumerate(pieces):
            if index == 0:
                stream.height, stream.width = piece.shape[1:3]
            for pixels in piece:
                frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(pixels), format="rgb24")
                container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
