"""Frames of one view at the times of rows, from a video of any length that may hold many episodes.

`backend.media.clip_reader` reads what strangers send, ten minutes at most, and looks at every packet first; a file of
LeRobot v3 is hours long, and says in its list where an episode begins.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from av.container import InputContainer
from av.video.frame import VideoFrame
from av.video.stream import VideoStream
from numpy.typing import NDArray

from backend.media.bounds import check_size
from backend.media.clip_file import open_clip
from backend.media.clip_frames import to_rgb
from studio.errors import BadInput
from tuning.sources import Sources

RATE_TOLERANCE = 0.01
"""By which share a video's own rate may differ from that of its rows."""


@dataclass(frozen=True)
class Footage:
    """Frames of one view, one for each row.

    Attributes:
        path: of the video.
        begins_s: when the episode begins in it.
        first: row of the episode that they begin at.
        count: rows.
        fps: of the rows.
    """

    path: Path
    begins_s: float
    first: int
    count: int
    fps: float

    def cut(self, first: int, count: int) -> Footage:
        """So many rows of them."""
        return replace(self, first=self.first + first, count=count)

    def identity(self, sources: Sources) -> tuple[object, ...]:
        """What decides over their pixels."""
        return sources.hash(self.path), self.begins_s, self.first, self.count, self.fps

    def check(self) -> None:
        """Raises BadInput where the video is missing, is of another rate than the rows, or ends before them."""
        if not self.path.is_file():
            raise BadInput(f"{self.path.name} is missing.", param="data")
        with open_clip(self.path) as (container, stream):
            check_size(stream.width, stream.height)
            rate = float(stream.average_rate or stream.guessed_rate or 0)
            ends_s = (container.duration or 0) / 1e6
        name = self.path.name
        if abs(rate / self.fps - 1) > RATE_TOLERANCE:
            raise BadInput(f"{name} has {rate:.2f} frames a second, and the rows {self.fps:g}.", param="data")
        needed_s = self.begins_s + (self.first + self.count - 0.5) / self.fps
        if ends_s < needed_s:
            raise BadInput(f"{name} ends at {ends_s:.2f} s, and the rows at {needed_s:.2f} s.", param="data")

    def frames(self) -> Iterator[NDArray[np.uint8]]:
        """Of each row the frame that is shown then, uint8 [height, width, 3]. Raises BadInput."""
        half_s = 0.5 / self.fps
        wanted_s = [self.begins_s + (self.first + row) / self.fps - half_s for row in range(self.count)]
        index = 0
        with open_clip(self.path) as (container, stream):
            for at_s, frame in _decoded(container, stream, max(0.0, wanted_s[0])):
                while index < self.count and at_s >= wanted_s[index]:
                    yield to_rgb(frame)
                    index += 1
                if index == self.count:
                    return
        raise BadInput(
            f"{self.path.name} is truncated: {index:,} of {self.count:,} needed frames can be decoded.",
            param="data",
            hint="Record or download it again.",
        )


def _decoded(container: InputContainer, stream: VideoStream, from_s: float) -> Iterator[tuple[float, VideoFrame]]:
    """Frames with their seconds from the video's beginning, from the last key frame before a time on."""
    assert stream.time_base is not None, "a container that can be opened has a time base"
    base, start = float(stream.time_base), stream.start_time or 0
    container.seek(start + int(from_s / base), stream=stream)
    for frame in container.decode(stream):
        if frame.pts is not None:
            yield (frame.pts - start) * base, frame
