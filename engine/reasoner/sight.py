"""What a conversation shows, and how a checkpoint wants to see it, which its files say.

They say sizes, patch order, frame rates and placeholder tokens.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine.reasoner.vocabulary import Vocabulary
from studio.checkpoints import read_json
from studio.errors import BrokenCheckpoint
from studio.requests.reason import Reason

IMAGE_TOKEN, VIDEO_TOKEN = "<|image_pad|>", "<|video_pad|>"
START_TOKEN, END_TOKEN = "<|vision_start|>", "<|vision_end|>"

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


@dataclass(frozen=True)
class Placeholders:
    """Ids of the tokens that stand for what is seen."""

    image: int
    video: int


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


def read_placeholders(vocabulary: Vocabulary) -> Placeholders | None:
    """The placeholders, where the tokenizer has all that pictures and clips need."""
    ids = [vocabulary.id_of(token) for token in (IMAGE_TOKEN, VIDEO_TOKEN, START_TOKEN, END_TOKEN)]
    if ids[0] is None or ids[1] is None or None in ids:
        return None
    return Placeholders(ids[0], ids[1])


def _file(path: Path) -> dict[str, Any]:
    return read_json(path) if path.is_file() else {}


def _bounds(config: Mapping[str, Any], default: tuple[int, int]) -> Bounds:
    size = config.get("size") or {}
    low = config.get("min_pixels") or size.get("shortest_edge") or default[0]
    high = config.get("max_pixels") or size.get("longest_edge") or default[1]
    return Bounds(int(low), int(high))


@dataclass(frozen=True)
class Footage:
    """A picture, or the frames of a clip that are to be looked at.

    Attributes:
        frames: uint8 [T, height, width, 3]; a picture is one frame.
        times_s: when each frame is seen, in seconds from the clip's start; a picture has none.
        size: (width, height) as it was shown, where the frames have the size already that they are looked at.
    """

    frames: np.ndarray
    times_s: tuple[float, ...] = ()
    size: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        assert self.frames.dtype == np.uint8
        assert self.frames.ndim == 4
        assert self.frames.shape[3] == 3
        assert len(self.times_s) in (0, len(self.frames))


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
