"""From windows to sequences' pixels: which are long enough, at which frame rate, and on which canvas."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from backend.media.clip_reader import stream_frames
from backend.media.controls import compute_control
from backend.media.pictures import Cover, decode_picture, read_picture
from backend.media.timeline import read_timeline
from studio.errors import BadInput
from studio.requests.frames import TEMPORAL_STRIDE
from studio.requests.transfer_video import FilteredHint, Strength
from studio.rules.canvas import CANVASES
from studio.tuning import GeneratorRecipe
from tuning.generator.records import Window
from tuning.left_out import Drops
from tuning.sources import Sources

STRENGTH: Strength = "medium"
"""Of a control; what a request has that names none."""


@dataclass(frozen=True)
class Clip:
    """What is trained on of a window.

    Attributes:
        indexes: frames of the file, 4k + 1 of them; an image is one.
        fps: at which they are shown; none of an image.
        canvas: (width, height) that they cover, cropped at the centre.
    """

    window: Window
    indexes: tuple[int, ...]
    fps: float | None
    canvas: tuple[int, int]

    @property
    def num_frames(self) -> int:
        """4k + 1."""
        return len(self.indexes)

    @property
    def fitted(self) -> None:
        """Its frames are the canvas."""
        return

    def identity(self, sources: Sources) -> dict[str, object]:
        """File, frames, canvas and rate."""
        return {
            "file": sources.hash(self.window.path),
            "frames": self.indexes,
            "canvas": self.canvas,
            "fps": self.fps,
        }

    def frames(self) -> NDArray[np.uint8]:
        """Its pixels, uint8 [num_frames, height, width, 3].

        Raises:
            BadInput: the file cannot be decoded, or has changed.
        """
        width, height = self.canvas
        if self.window.is_image:
            return read_picture(self.window.path, width, height)[None]
        timeline = read_timeline(self.window.path)
        if self.indexes[-1] >= len(timeline.ticks):
            raise BadInput(f"{self.window.path} has fewer frames than before.", param="data")
        frames = np.empty((self.num_frames, height, width, 3), np.uint8)
        cover: Cover | None = None
        for place, frame in enumerate(stream_frames(self.window.path, timeline, self.indexes)):
            cover = cover or Cover(frame.shape[1], frame.shape[0], width, height)
            frames[place] = cover(frame)
        return frames


@dataclass(frozen=True)
class Control:
    """What a transfer computes of a clip: as many frames, on the same canvas."""

    clip: Clip
    hint: FilteredHint

    @property
    def fitted(self) -> None:
        """Its frames are the canvas."""
        return

    def identity(self, sources: Sources) -> dict[str, object]:
        """The clip, and what is computed of it."""
        return self.clip.identity(sources) | {"control": self.hint, "strength": STRENGTH}

    def frames(self) -> NDArray[np.uint8]:
        """Its pixels, uint8 [num_frames, height, width, 3]. Raises BadInput as the clip's."""
        return np.stack([compute_control(frame, self.hint, STRENGTH) for frame in self.clip.frames()])


def find_clips(windows: list[Window], recipe: GeneratorRecipe, drops: Drops, told: Callable[[int], None]) -> list[Clip]:
    """What can be trained on; everything else is counted.

    Videos longer than `max_clip_s` and windows of fewer than max(min_window_frames, num_frames) frames are what the
    framework's loader skips without a word (cosmos-framework, `captions_to_sft_jsonl`).

    Args:
        told: how many windows have been looked at.
    """
    found: list[Clip] = []
    for done, window in enumerate(windows):
        told(done)
        if (clip := _clip(window, recipe, drops)) is not None:
            found.append(clip)
    return found


def _clip(window: Window, recipe: GeneratorRecipe, drops: Drops) -> Clip | None:
    if not any(share > 0 for mode, share in recipe.modes.items() if (mode == "t2i") == window.is_image):
        what = "an image" if window.is_image else "a video"
        drops.add("mode_not_trained", f"It is {what}, and the recipe has no share for it.", window.name)
        return None
    try:
        if window.is_image:
            pixels, _ = decode_picture(window.path)
            return Clip(window, (0,), None, nearest_shape(recipe, pixels.shape[1], pixels.shape[0]))
        return _of_video(window, recipe, drops)
    except BadInput as error:
        drops.add("unreadable", f"The file cannot be decoded: {error.message}", window.name)
        return None


def _of_video(window: Window, recipe: GeneratorRecipe, drops: Drops) -> Clip | None:
    timeline = read_timeline(window.path)
    duration_s = window.duration_s or float(timeline.duration_s)
    if duration_s > recipe.max_clip_s:
        drops.add("clip_too_long", f"The video is longer than {recipe.max_clip_s:g} s.", window.name)
        return None
    last = len(timeline.ticks) - 1 if window.last is None else window.last
    if last >= len(timeline.ticks):
        drops.add("window_outside_file", "The window ends behind the last frame of the video.", window.name)
        return None
    own = range(window.first, last + 1, window.interval)
    rate = timeline.mean_rate / window.interval
    indexes = list(own) if recipe.fps is None else _resampled(own, rate, recipe.fps)
    fewest = max(recipe.min_window_frames, recipe.num_frames)
    if len(own) < recipe.min_window_frames or len(indexes) < recipe.num_frames:
        drops.add("window_too_short", f"The window has fewer than {fewest} frames.", window.name)
        return None
    frame = next(iter(stream_frames(window.path, timeline, [indexes[0]])))
    canvas = nearest_shape(recipe, frame.shape[1], frame.shape[0])
    fps = float(rate) if recipe.fps is None else recipe.fps
    return Clip(window, tuple(indexes[: recipe.num_frames]), round(fps, 3), canvas)


def _resampled(own: range, rate: Fraction, fps: float) -> list[int]:
    """Of a window's frames those that are shown at i / fps seconds."""
    count = math.floor(len(own) / rate * Fraction(fps).limit_denominator(1000))
    return [own[min(len(own) - 1, math.floor(place / fps * rate + Fraction(1, 1000)))] for place in range(count)]


def nearest_shape(recipe: GeneratorRecipe, width: int, height: int) -> tuple[int, int]:
    """Of the five canvases of the recipe's resolution the one whose shape differs least, on a logarithmic scale."""
    shape = math.log(width / height)
    sizes = CANVASES[recipe.resolution].values()
    return min(sizes, key=lambda size: abs(math.log(size[0] / size[1]) - shape))


def check_length(recipe: GeneratorRecipe) -> None:
    """Raises BadInput where frames are not 4k + 1, or too few for a mode that keeps some."""
    if recipe.num_frames % TEMPORAL_STRIDE != 1:
        lower = recipe.num_frames - (recipe.num_frames - 1) % TEMPORAL_STRIDE
        raise BadInput(
            f"num_frames is {recipe.num_frames}; expected 1 plus a multiple of 4.",
            param="num_frames",
            hint=f"Use {max(lower, 5)} or {lower + TEMPORAL_STRIDE}.",
        )
    fewest = {"t2v": 5, "i2v": 5, "v2v": 9, "edge": 5, "blur": 5}
    for mode, share in recipe.modes.items():
        if share > 0 and recipe.num_frames < fewest.get(mode, 1):
            raise BadInput(
                f"{mode} needs at least {fewest[mode]} frames; num_frames is {recipe.num_frames}.", param="num_frames"
            )
    if not any(share > 0 for share in recipe.modes.values()):
        raise BadInput("No mode has a share; expected one above 0.", param="modes")
