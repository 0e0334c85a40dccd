"""What to ask for instead of what did not fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from engine.memory.estimate import DECODER_WIDTH, Shape, estimate_bytes
from engine.weights import ModelConfig
from studio.requests.frames import TEMPORAL_STRIDE
from studio.rules import canvas

RESOLUTIONS = ("720", "480", "256")
"""Largest first."""

ASPECT_RATIOS = ("16:9", "4:3", "1:1", "3:4", "9:16")

SHORTEST_FRAMES = 5
"""A shorter clip is none."""


def what_fits(
    config: ModelConfig, shape: Shape, room_bytes: int, value_bytes: int = 2, decoder_width: int = DECODER_WIDTH
) -> str:
    """A sentence that says which sizes would fit into so much memory; none where nothing does.

    A clip of 189 frames at 720p may be answered with "At 720p 93 frames would fit, at 480p all 189."
    """
    found = list(_fitting(shape, lambda less: estimate_bytes(config, less, value_bytes, decoder_width) <= room_bytes))
    if not found:
        return "Nothing smaller would fit either: free memory on the device, or start with --offload."
    if shape.num_frames == 1:
        return f"At {found[0][0]}p it would fit."
    said = [f"at {name}p {'all ' if frames == shape.num_frames else ''}{frames} frames" for name, frames in found]
    return f"It would fit {', '.join(said)}."


def _fitting(shape: Shape, fits: Callable[[Shape], bool]) -> Iterator[tuple[str, int]]:
    """Resolutions up to the one that was asked for and frames of it that fit, until all frames do."""
    ratio = min(ASPECT_RATIOS, key=lambda name: abs(_ratio(canvas("480", name)) - _ratio(shape.canvas)))
    for resolution in RESOLUTIONS:
        size = canvas(resolution, ratio)
        if size[0] * size[1] > shape.canvas[0] * shape.canvas[1]:
            continue
        frames = _most_frames(replace(shape, canvas=size), fits)
        if frames and (resolution, frames) != _as_asked(shape, resolution, size):
            yield resolution, frames
        if frames == shape.num_frames:
            return


def _most_frames(shape: Shape, fits: Callable[[Shape], bool]) -> int:
    """Of 4k+1 up to those that were asked for; 0 where not even the shortest clip fits."""
    shortest = min(SHORTEST_FRAMES, shape.num_frames)
    for frames in range(shape.num_frames, shortest - 1, -TEMPORAL_STRIDE):
        if fits(replace(shape, num_frames=frames)):
            return frames
    return 0


def _as_asked(shape: Shape, resolution: str, size: tuple[int, int]) -> tuple[str, int] | None:
    """What has just not fitted is no advice, whatever the estimate says."""
    return (resolution, shape.num_frames) if size == shape.canvas else None


def _ratio(size: tuple[int, int]) -> float:
    return size[0] / size[1]
