"""Files to send, made on the spot."""

import io
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray
from PIL import Image


def moving_square(index: int, width: int, height: int) -> NDArray[np.uint8]:
    """A bright square on a shaded ground, further right in each frame."""
    pixels = np.linspace(20, 120, width, dtype=np.uint8)[None, :, None].repeat(height, 0).repeat(3, 2).copy()
    side = min(width, height) // 3
    left = (index * 4) % (width - side)
    pixels[side : 2 * side, left : left + side] = (230, 200, 40)
    return pixels


def clip_bytes(num_frames: int = 17, width: int = 96, height: int = 160, fps: int = 12) -> bytes:
    """An MP4 as a camera program writes it."""
    buffer = io.BytesIO()
    with av.open(buffer, "w", format="mp4") as container:
        stream: Any = container.add_stream("libx264", rate=fps, options={"preset": "ultrafast"})
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        for index in range(num_frames):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(moving_square(index, width, height))))
        container.mux(stream.encode(None))
    return buffer.getvalue()


def picture_bytes(width: int = 96, height: int = 160) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(moving_square(0, width, height)).save(buffer, "PNG")
    return buffer.getvalue()
