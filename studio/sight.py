"""How a checkpoint looks at pictures and clips, which its processors' files say: frames, sizes, and pixels of a token.

What transformers' processors do (`image_processing_pil_qwen2_vl.py`, `video_processing_qwen3_vl.py`,
`image_processing_pil_cosmos3_edge.py` of 5.23), without a pixel.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from studio.checkpoints import read_json
from studio.errors import BadInput, BrokenCheckpoint
from studio.requests.reason import Reason

EDGE = "cosmos3_edge"
"""`model_type` of the Edge family in a root configuration; Nano and Super have "cosmos3_omni"."""


@dataclass(frozen=True)
class Bounds:
    """Pixels that are looked at: of a picture, or of all frames of a clip together."""

    min_pixels: int
    max_pixels: int


@dataclass(frozen=True)
class Sight:
    """What the files of both processors say; where they say nothing, the defaults of transformers 5.23.

    Attributes:
        patch: pixels along a patch's side.
        merge: patches along the side of a token.
        frames_per_patch: 2 for Nano and Super, 1 for Edge.
        colours_last: values of a patch are ordered (row, column, colour), not (colour, frame, row, column).
        small_first: a picture below one token's side is enlarged to it before anything else.
        wraps_clip: the start and end tokens that the chat template puts around a clip stay around its frames, each of
            which has its own. transformers 5.23 leaves them for Nano and Super; 4.57 did not.
        fps: frames a second that are looked at, within `min_frames` and `max_frames`.
        max_frame_tokens: of a clip's frame; none where the checkpoint does not cap them.
    """

    patch: int
    merge: int
    frames_per_patch: int
    mean: tuple[float, ...]
    std: tuple[float, ...]
    colours_last: bool
    small_first: bool
    wraps_clip: bool
    image: Bounds
    video: Bounds
    fps: float
    min_frames: int
    max_frames: int
    max_frame_tokens: int | None

    @property
    def factor(self) -> int:
        """Pixels along a token's side: 32."""
        return self.patch * self.merge


CONTEXT_TOKENS = 32_768
"""Where a checkpoint's configuration does not say."""


def context_of(config: Mapping[str, Any]) -> int:
    """Tokens of a conversation at most, its answer among them, as a root `config.json` says."""
    text = config.get("text_config")
    context = cast(dict[str, Any], text).get("max_position_embeddings") if isinstance(text, dict) else None
    return context if isinstance(context, int) else CONTEXT_TOKENS


def read_sight(folder: Path, is_edge: bool) -> Sight:
    """Read both processors' files; one that is missing has the defaults.

    Raises:
        BrokenCheckpoint: a value is of no use.
    """
    image = _file(folder / "preprocessor_config.json")
    video = _file(folder / "video_preprocessor_config.json")
    sides = (256 * 256, 4096 * 4096) if is_edge else (56 * 56, 28 * 28 * 1280)
    clips = (64 * 64, 24 * 1024 * 1024) if is_edge else (128 * 32 * 32, 32 * 32 * 768)
    try:
        return Sight(
            patch=int(image.get("patch_size", 16)),
            merge=int(image.get("merge_size", 2)),
            frames_per_patch=int(video.get("temporal_patch_size", 1 if is_edge else 2)),
            mean=tuple(map(float, image.get("image_mean", (0.5, 0.5, 0.5)))),
            std=tuple(map(float, image.get("image_std", (0.5, 0.5, 0.5)))),
            colours_last=is_edge,
            small_first=is_edge,
            wraps_clip=not is_edge,
            image=_bounds(image, sides),
            video=_bounds(video, clips),
            fps=float(video.get("fps") or 2.0),
            min_frames=int(video.get("min_frames", 4)),
            max_frames=int(video.get("max_frames", 768)),
            max_frame_tokens=int(video.get("max_video_tokens", 768)) if video.get("cap_pixels_per_frame") else None,
        )
    except (TypeError, ValueError) as error:
        raise BrokenCheckpoint(f"{folder}: its preprocessor files are invalid: {error}.", param="checkpoint") from None


def _file(path: Path) -> dict[str, Any]:
    return read_json(path) if path.is_file() else {}


def _bounds(config: Mapping[str, Any], default: tuple[int, int]) -> Bounds:
    size: Mapping[str, Any] = config.get("size") or {}
    low = config.get("min_pixels") or size.get("shortest_edge") or default[0]
    high = config.get("max_pixels") or size.get("longest_edge") or default[1]
    return Bounds(int(low), int(high))


def choose_frames(num_frames: int, fps: float, request: Reason, sight: Sight) -> tuple[int, ...]:
    """Indexes of frames, evenly from the first to the last (transformers' `Qwen3VLVideoProcessor.sample_frames`).

    Args:
        num_frames: of the clip.
        fps: of the clip.
    """
    assert num_frames > 0
    if request.num_video_frames is not None:
        wanted = min(request.num_video_frames, num_frames)
    else:
        wanted = int(num_frames / fps * (request.video_fps or sight.fps))
        wanted = min(max(wanted, sight.min_frames), sight.max_frames, num_frames)
    return tuple(int(index) for index in np.linspace(0, num_frames - 1, wanted).round())


def bounds_of(request: Reason, sight: Sight, *, is_clip: bool) -> Bounds | None:
    """The pixels that a request asks for; none where it leaves them to the checkpoint.

    Raises:
        BadInput: they are more than the checkpoint was made for, which may take minutes.
    """
    if request.min_pixels is None and request.max_pixels is None:
        return None
    own = sight.video if is_clip else sight.image
    for name, asked in (("max_pixels", request.max_pixels), ("min_pixels", request.min_pixels)):
        if asked is not None and asked > own.max_pixels:
            raise BadInput(
                f"{name} is {asked:,}; this checkpoint uses at most {own.max_pixels:,} pixels of "
                f"{'a video' if is_clip else 'an image'}.",
                param=name,
                hint=f"Use {own.max_pixels} or less, or remove it.",
            )
    low = own.min_pixels if request.min_pixels is None else request.min_pixels
    high = own.max_pixels if request.max_pixels is None else request.max_pixels
    return Bounds(min(low, high), high)


def seen_size(height: int, width: int, sight: Sight, bounds: Bounds | None, num_clip_frames: int) -> tuple[int, int]:
    """The (height, width) in pixels that a picture, or each of so many frames of a clip, is looked at.

    Args:
        bounds: that a request asks for; none is the checkpoint's.
        num_clip_frames: 0 of a picture.
    """
    is_clip = num_clip_frames > 0
    limits = bounds or (sight.video if is_clip else sight.image)
    if is_clip and sight.max_frame_tokens is not None:
        limits = _capped(limits, sight, num_clip_frames)
    return fit(height, width, sight, limits, num_clip_frames or 1, is_clip=is_clip)


def fit(
    height: int, width: int, sight: Sight, bounds: Bounds, num_frames: int = 1, *, is_clip: bool = False
) -> tuple[int, int]:
    """The (height, width) that so many pixels are looked at: whole tokens, within the bounds, nearly the same shape."""
    factor = sight.factor
    if (is_clip or sight.small_first) and min(height, width) < factor:
        scale = factor / min(height, width)
        height, width = int(height * scale), int(width * scale)
    step = sight.frames_per_patch if is_clip else 1
    whole_frames = max(round(num_frames / step), 1) * step
    rows, columns = round(height / factor) * factor, round(width / factor) * factor
    pixels = num_frames * height * width
    if whole_frames * rows * columns > bounds.max_pixels:
        shrink = math.sqrt(pixels / bounds.max_pixels)
        rows = max(factor, math.floor(height / shrink / factor) * factor)
        columns = max(factor, math.floor(width / shrink / factor) * factor)
    elif whole_frames * rows * columns < bounds.min_pixels:
        grow = math.sqrt(bounds.min_pixels / pixels)
        rows = math.ceil(height * grow / factor) * factor
        columns = math.ceil(width * grow / factor) * factor
    # Rounding leaves none of a side that is below half a token, where the bounds ask for nothing.
    return max(rows, factor), max(columns, factor)


def _capped(bounds: Bounds, sight: Sight, num_frames: int) -> Bounds:
    assert sight.max_frame_tokens is not None
    share = min(sight.max_frame_tokens * sight.factor**2, bounds.max_pixels // num_frames)
    most = max(share, int(bounds.min_pixels * 1.05)) * num_frames
    return Bounds(bounds.min_pixels, min(most, max(bounds.max_pixels, sight.video.max_pixels)))
