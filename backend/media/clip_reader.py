"""Reading the frames of a clip that a request keeps: at its frame rate, on its canvas, and no others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Literal

import numpy as np
from av.video.frame import VideoFrame
from numpy.typing import NDArray
from PIL import Image

from backend.media.apart import stream_apart
from backend.media.clip_frames import frames_from, to_rgb
from backend.media.pictures import Cover
from backend.media.timeline import Timeline, frame_rate, read_timeline
from studio.errors import BadInput


@stream_apart
def stream_clip(
    path: Path,
    *,
    width: int,
    height: int,
    fps: float | Fraction,
    num_frames: int,
    end: Literal["first", "last"] = "first",
    param: str = "file",
) -> Iterator[NDArray[np.uint8]]:
    """Frames from one end of a clip, resampled by their timestamps: frame i is what is shown at i / fps seconds.

    Memory is a few frames, however long the clip is. A frame that is shown twice comes as the same array.

    Args:
        path: any container that `inspect_upload` accepts.
        width, height: the canvas, covered and cropped at the centre.
        num_frames: how many frames at `fps`.
        end: which end of the clip they are taken from.
        param: the field that an error names.

    Yields:
        uint8 [height, width, 3].

    Raises:
        BadInput: the clip is too short, cannot be decoded, or breaks off.
    """
    rate = frame_rate(fps)
    timeline = require_frames(path, fps=rate, num_frames=num_frames, param=param)
    skipped = timeline.num_frames_at(rate) - num_frames if end == "last" else 0
    wanted = [timeline.shown_at(skipped + index, rate) for index in range(num_frames)]
    cover: Cover | None = None
    size = (0, 0)
    last: VideoFrame | None = None
    kept = np.empty(0, np.uint8)
    for frame in _pick(frames_from(path, timeline, wanted[0]), wanted, param):
        if frame is not last:
            last = frame
            pixels = to_rgb(frame)
            if cover is None or size != pixels.shape[:2]:  # a clip may change its size on the way
                size = pixels.shape[:2]
                cover = Cover(size[1], size[0], width, height)
            kept = cover(pixels)
        yield kept


@stream_apart
def stream_frames(
    path: Path,
    timeline: Timeline,
    indexes: Sequence[int],
    param: str = "file",
    size: tuple[int, int] | None = None,
) -> Iterator[NDArray[np.uint8]]:
    """Frames of a clip by their number, in one size: the first one's, should it change on the way, or `size`.

    Args:
        path: the clip.
        timeline: its own.
        indexes: rising.
        param: the field that an error names.
        size: (width, height) that each is resized to with PIL's bicubic filter, as the reasoner looks at them.

    Yields:
        uint8 [height, width, 3].

    Raises:
        BadInput: the clip cannot be decoded, or breaks off.
    """
    wanted = [timeline.ticks[index] for index in indexes]
    shape: tuple[int, int] | None = None
    for frame in _pick(frames_from(path, timeline, wanted[0]), wanted, param):
        pixels = to_rgb(frame)
        height, width = shape = shape or pixels.shape[:2]
        if pixels.shape[:2] != shape:
            pixels = Cover(pixels.shape[1], pixels.shape[0], width, height)(pixels)
        yield pixels if size is None else np.asarray(Image.fromarray(pixels).resize(size, Image.Resampling.BICUBIC))


def require_frames(path: Path, *, fps: float | Fraction, num_frames: int, param: str = "file") -> Timeline:
    """The clip's timeline, if the clip is long enough; nothing is decoded.

    Raises:
        BadInput: it has fewer than `num_frames` frames at `fps`, or is no clip.
    """
    rate = frame_rate(fps)
    timeline = read_timeline(path)
    came = timeline.num_frames_at(rate)
    if came < num_frames:
        raise BadInput(
            f"The video has {came:,} frames at {float(rate):g} frames per second; {num_frames:,} are needed.",
            param=param,
            hint=f"Send at least {float(num_frames / rate):.2f} s, or keep fewer frames.",
        )
    return timeline


def _pick(shown: Iterator[tuple[int, VideoFrame]], wanted: Sequence[int], param: str) -> Iterator[VideoFrame]:
    """For each wanted tick the frame that is shown then; a frame that could not be decoded leaves the one before it."""
    index = 0
    before: VideoFrame | None = None
    for tick, frame in shown:
        while index < len(wanted) and wanted[index] <= tick:
            yield frame if wanted[index] == tick or before is None else before
            index += 1
        if index == len(wanted):
            return
        before = frame
    raise BadInput(
        f"The video is truncated: {index:,} of {len(wanted):,} needed frames can be decoded.",
        param=param,
        hint="Send the whole file again.",
    )
