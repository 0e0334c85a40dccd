"""Frames of two images or videos that belong together: of one time, on one canvas."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from backend.media.clip_reader import stream_clip
from backend.media.inspection import inspect_upload
from backend.media.pictures import read_picture
from backend.media.timeline import frame_rate, read_timeline
from studio.errors import BadInput

Frame = NDArray[np.uint8]

MAX_FRAMES = 400
"""That are measured of a clip, from its beginning; a minute at 1280x720."""


def aligned(path: Path, against: Path, most: int = MAX_FRAMES) -> Iterator[tuple[Frame, Frame]]:
    """Frames of both that belong together, each uint8 [h, w, 3] on the canvas of `against`, at most so many.

    The times are those of the slower one's frames, from the beginning to the end of the shorter one.

    Raises:
        BadInput: one is an image and the other a video, or one cannot be decoded.
    """
    ours, theirs = inspect_upload(path), inspect_upload(against)
    if (ours.type, theirs.type) not in (("video", "video"), ("image", "image")):
        raise BadInput(
            f"Cannot measure {ours.type} against {theirs.type}; both must have the same type.", param="reference"
        )
    size = theirs.width, theirs.height
    if ours.type == "image":
        return iter([(read_picture(path, *size), read_picture(against, *size))])
    rate = frame_rate(min(ours.fps or 24.0, theirs.fps or 24.0))
    times = min(most, *(read_timeline(file).num_frames_at(rate) for file in (path, against)))
    return zip(*(first_frames(file, size, float(rate), times) for file in (path, against)), strict=True)


def first_frames(path: Path, size: tuple[int, int], fps: float, num_frames: int) -> Iterator[Frame]:
    """Frames from the beginning of a video, each uint8 [h, w, 3] of `size` (width, height), at most `MAX_FRAMES`."""
    count = min(num_frames, MAX_FRAMES)
    return islice(stream_clip(path, width=size[0], height=size[1], fps=fps, num_frames=count), count)
