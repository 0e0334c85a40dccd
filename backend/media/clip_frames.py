"""Decoding the frames of a clip one after the other, from any point, into upright opaque RGB."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import cast

import numpy as np
from av.container import InputContainer
from av.video.frame import VideoFrame
from av.video.reformatter import Colorspace
from av.video.stream import VideoStream
from numpy.typing import NDArray

from backend.media.apart import draw_apart
from backend.media.clip_file import open_clip
from backend.media.pictures import over_black
from backend.media.timeline import Timeline, read_timeline
from studio.errors import BadInput

_UNSPECIFIED = 2
"""AVCOL_SPC_UNSPECIFIED."""

_HD_HEIGHT = 720
"""From here on players take untagged colour for BT.709, below for BT.601."""


def frames_from(path: Path, timeline: Timeline, tick: int) -> Generator[tuple[int, VideoFrame]]:
    """Frames and their ticks in the order they are shown, beginning at `tick` or before it.

    Raises:
        BadInput: the clip cannot be decoded.
    """
    starts: list[int | None] = [None] if timeline.counted or tick <= timeline.ticks[0] else [tick, None]
    for start in starts:
        with open_clip(path) as (container, stream):
            if start is not None:
                container.seek(start, stream=stream)
            frames = _decoded(container, stream, timeline)
            first = next(frames, None)
            if first is not None and (start is None or first[0] <= start):
                yield first
                yield from frames
                return
        # Without an index, or with one that lies, the place is missed: decode from the beginning.
    raise BadInput("No frame of the video can be decoded.", param="file", hint="Send H.264 in MP4.")


@draw_apart
def read_frame(path: Path, at: float, most_pixels: float = math.inf) -> NDArray[np.uint8]:
    """One frame, uint8 [height, width, 3]: `at` 0 is the first, 0.5 the middle, 1 the last. Raises BadInput.

    Args:
        most_pixels: once so many have been decoded on the way there, the frame that has been reached will do.
    """
    timeline = read_timeline(path)
    wanted = timeline.ticks[round(at * (len(timeline.ticks) - 1))]
    last: VideoFrame | None = None
    num_pixels = 0
    for tick, frame in frames_from(path, timeline, wanted):
        last = frame
        num_pixels += frame.width * frame.height
        if tick >= wanted or num_pixels >= most_pixels:
            break
    assert last is not None
    return to_rgb(last)


def rotation_of(frame: VideoFrame) -> int:
    """Degrees clockwise that the frame is turned before it is shown: 0, 90, 180 or 270."""
    return -90 * round(frame.rotation / 90) % 360


def to_rgb(frame: VideoFrame) -> NDArray[np.uint8]:
    """A decoded frame as it is shown, uint8 [height, width, 3]."""
    untagged_hd = frame.colorspace == _UNSPECIFIED and frame.height >= _HD_HEIGHT
    matrix = Colorspace.ITU709 if untagged_hd else None
    has_alpha = any(component.is_alpha for component in frame.format.components)
    converted = frame.reformat(format="rgba" if has_alpha else "rgb24", src_colorspace=matrix)
    pixels = cast("NDArray[np.uint8]", converted.to_ndarray())
    turned = np.rot90(pixels, k=-rotation_of(frame) // 90)
    return over_black(turned) if has_alpha else turned


def _decoded(container: InputContainer, stream: VideoStream, timeline: Timeline) -> Iterator[tuple[int, VideoFrame]]:
    for index, frame in enumerate(container.decode(stream)):
        if timeline.counted:
            yield timeline.ticks[min(index, len(timeline.ticks) - 1)], frame
        elif frame.pts is not None:
            yield frame.pts, frame
