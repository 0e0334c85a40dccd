"""Frames of a clip side by side in one picture, for looking through it without playing it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from backend.media.apart import draw_apart
from backend.media.clip_frames import frames_from, to_rgb
from backend.media.clip_reader import stream_frames
from backend.media.timeline import Timeline, read_timeline
from studio.library import SpritesheetLayout

MAX_FRAMES = 24
NUM_COLUMNS = 6
FRAME_SIDE = 160
"""Pixels of a frame's longer side: six are 960 in a row, far from WebP's bound of 16,383."""

SEEK_FROM_FRAMES = 600
"""A longer clip is not decoded whole: each frame is sought by itself, from the key frame before it."""


def layout_of(timeline: Timeline, width: int, height: int) -> SpritesheetLayout:
    """How the sheet of a clip is laid out, told from its timeline and size alone."""
    indexes = chosen_frames(len(timeline.ticks))
    scale = min(1.0, FRAME_SIDE / max(width, height))
    columns = min(NUM_COLUMNS, len(indexes))
    times_s = [float((timeline.ticks[index] - timeline.ticks[0]) * timeline.time_base) for index in indexes]
    return SpritesheetLayout(
        columns=columns,
        rows=math.ceil(len(indexes) / columns),
        num_frames=len(indexes),
        frame_width=max(1, round(width * scale)),
        frame_height=max(1, round(height * scale)),
        times_s=tuple(round(time_s, 4) for time_s in times_s),
    )


def chosen_frames(num_frames: int) -> list[int]:
    """Evenly spaced, the first and the last among them; all of a short clip. Of 49 every second one and the last."""
    count = min(MAX_FRAMES, num_frames)
    if count == 1:
        return [0]
    return [round(index * (num_frames - 1) / (count - 1)) for index in range(count)]


@draw_apart
def draw_spritesheet(path: Path, layout: SpritesheetLayout) -> Image.Image:
    """The sheet of a clip. Raises BadInput when the clip cannot be decoded."""
    size = (layout.frame_width, layout.frame_height)
    sheet = Image.new("RGB", (size[0] * layout.columns, size[1] * layout.rows))
    timeline = read_timeline(path)
    for number, pixels in enumerate(_frames(path, timeline, chosen_frames(len(timeline.ticks)))):
        small = Image.fromarray(pixels).resize(size, Image.Resampling.BILINEAR)
        sheet.paste(small, (number % layout.columns * size[0], number // layout.columns * size[1]))
    return sheet


def _frames(path: Path, timeline: Timeline, indexes: Sequence[int]) -> Iterator[NDArray[np.uint8]]:
    if len(timeline.ticks) <= SEEK_FROM_FRAMES:
        yield from stream_frames(path, timeline, indexes)
        return
    for index in indexes:
        wanted = timeline.ticks[index]
        shown = frames_from(path, timeline, wanted)
        _, frame = next(shown)
        for tick, later in shown:
            if tick > wanted:
                break
            frame = later
        yield to_rgb(frame)
