"""Pictures and frames to patches: resized, and their values in order.

What transformers' processors do, on PIL and torch (`image_processing_pil_qwen2_vl.py`,
`video_processing_qwen3_vl.py`, `image_processing_pil_cosmos3_edge.py` of 5.23).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from engine.reasoner.sight import Footage
from studio.errors import BadInput
from studio.sight import Bounds, Sight, seen_size

MIN_SIDE = 4
"""Pixels below which a picture shows nothing."""

MAX_ASPECT = 200
"""Of the longer side to the shorter one; the processors refuse more."""


@dataclass(frozen=True)
class Patches:
    """What the vision encoder is given of one picture or clip.

    Attributes:
        values: float32 [t * h * w, colours * frames * patch * patch], merged patches next to one another.
        grid: (t, h, w) in patches.
        times_s: of each of the t, in seconds; a picture has none.
        digest: 64 bits that tell it from any other.
    """

    values: Tensor
    grid: tuple[int, int, int]
    times_s: tuple[float, ...]
    digest: int

    @property
    def is_clip(self) -> bool:
        """It has frames at times."""
        return bool(self.times_s)


def to_patches(footage: Footage, sight: Sight, bounds: Bounds | None, param: str) -> Patches:
    """Resize, normalise and cut up.

    Args:
        bounds: that a request asks for; none is the checkpoint's.
        param: the request's field, for the error.

    Raises:
        BadInput: it is too small, or too long and narrow, to be looked at.
    """
    is_clip = bool(footage.times_s)
    num_frames, height, width, _ = footage.frames.shape
    width, height = footage.size or (width, height)
    _check(width, height, param)
    rows, columns = seen_size(height, width, sight, bounds, num_frames if is_clip else 0)
    frames = np.stack([_resized(frame, columns, rows) for frame in footage.frames])
    spread = sight.frames_per_patch
    if not is_clip:
        frames = np.repeat(frames, spread, 0)
    elif missing := -len(frames) % spread:
        frames = np.concatenate([frames, np.repeat(frames[-1:], missing, 0)])
    values = _cut(torch.from_numpy(frames), sight)
    grid = (len(frames) // spread, rows // sight.patch, columns // sight.patch)
    digest = hashlib.blake2b(frames.tobytes() + repr((grid, footage.times_s)).encode(), digest_size=8)
    return Patches(values, grid, _patch_times(footage.times_s, spread), int.from_bytes(digest.digest()))


def _check(width: int, height: int, param: str) -> None:
    if min(width, height) < MIN_SIDE:
        raise BadInput(
            f"It is {width}x{height} pixels; at least {MIN_SIDE}x{MIN_SIDE} are needed.",
            param=param,
            hint="Send a larger one.",
        )
    if max(width, height) > MAX_ASPECT * min(width, height):
        raise BadInput(
            f"It is {width}x{height} pixels; one side may be at most {MAX_ASPECT} times the other.",
            param=param,
            hint="Crop it into pieces.",
        )


def _resized(frame: np.ndarray, width: int, height: int) -> np.ndarray:
    if frame.shape[:2] == (height, width):
        return frame
    return np.asarray(Image.fromarray(frame).resize((width, height), Image.Resampling.BICUBIC))


def _cut(frames: Tensor, sight: Sight) -> Tensor:
    """uint8 [T, height, width, 3] → float32 [patches, values]."""
    mean, std = torch.tensor(sight.mean), torch.tensor(sight.std)
    normal = (frames.float() / 255 - mean) / std
    patch, merge = sight.patch, sight.merge
    cells = normal.unflatten(0, (-1, sight.frames_per_patch))  # t f
    cells = cells.unflatten(2, (-1, merge, patch))  # t f h m p W c
    cells = cells.unflatten(5, (-1, merge, patch))  # t f h m p w n q c
    order = (0, 2, 5, 3, 6, 4, 7, 8, 1) if sight.colours_last else (0, 2, 5, 3, 6, 8, 1, 4, 7)
    return cells.permute(order).flatten(0, 4).flatten(1)


def _patch_times(times_s: tuple[float, ...], spread: int) -> tuple[float, ...]:
    """The middle between the first and the last frame of each patch; a last one that is repeated counts twice."""
    padded = (*times_s, *times_s[-1:] * (-len(times_s) % spread))
    return tuple((padded[i] + padded[i + spread - 1]) / 2 for i in range(0, len(padded), spread))
