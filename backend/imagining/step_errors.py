"""How far imagined frames are from what the simulated arm's cameras saw, step by step."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from backend.comparisons.likeness import psnr_db
from backend.media import inspect_upload, read_timeline, write_clip
from backend.media.clip_reader import stream_frames
from studio.rollouts import SIMULATED_FPS, StepError
from studio.rules.view_layout import ViewLayout
from studio.wire.foreseen_clip import shown_places

Frame = NDArray[np.uint8]


def seen_as(canvases: Path, to: Path, layout: ViewLayout | None, imagined: Path) -> None:
    """Write a clip of canvases as a checkpoint sees them: in its own layout, or in the size of its frames.

    Args:
        imagined: a video that the checkpoint has made.
    """
    facts = inspect_upload(imagined)
    assert facts.width is not None
    assert facts.height is not None
    size = facts.width, facts.height
    write_clip(to, (_seen(frame, layout, size) for frame in _frames(canvases)), fps=SIMULATED_FPS)


def step_errors(imagined: Path, seen: Path, layout: ViewLayout | None) -> tuple[StepError, ...]:
    """Of each frame after the first, as far as both clips go; see `StepError`."""
    ours, theirs = _frames(imagined), _frames(seen)
    first = next(ours)
    next(theirs)
    height, width = first.shape[:2]
    views = [
        np.s_[place.top : place.top + place.height, place.left : place.left + place.width]
        for place in shown_places(layout, width, height)
    ]

    def psnr(one: Frame, other: Frame) -> tuple[float, ...]:
        return tuple(round(psnr_db(one[view], other[view]), 2) for view in views)

    return tuple(
        StepError(psnr_db=psnr(one, other), still_psnr_db=psnr(first, other))
        for one, other in zip(ours, theirs, strict=False)  # the arm may have stopped earlier
    )


def _frames(path: Path) -> Iterator[Frame]:
    timeline = read_timeline(path)
    return stream_frames(path, timeline, range(len(timeline.ticks)))


def _seen(canvas: Frame, layout: ViewLayout | None, size: tuple[int, int]) -> Frame:
    if layout is not None:
        return layout.arranged(canvas[None])[0]
    height, width = canvas.shape[:2]
    scale = max(size[0] / width, size[1] / height)
    shrunk = Image.fromarray(canvas).resize((round(width * scale), round(height * scale)), Image.Resampling.BILINEAR)
    return np.asarray(shrunk.crop((0, 0, *size)))
