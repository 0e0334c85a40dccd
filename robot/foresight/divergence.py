"""How far what is seen is from what was foreseen: PSNR of each view, and how much of its motion went another way.

PSNR says whether the pictures are alike, still background and all. The measure of motion looks only where something
moved, in either picture, since the policy was asked. With s what is seen, f what was foreseen and b the picture before,

    motion = sum |s - f| / max(sum max(|s - b|, |f - b|), floor)    over pixels where max(|s - b|, |f - b|) > threshold

0: everything moved as foreseen. 1: what was foreseen did not happen, or something happened that was not foreseen. Up to
2 where both moved to opposite brightness.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from robot.foresight.clip import Rectangle

SHRUNK_BY = 4
"""Compared at a quarter of the size: an arm that is a pixel off its place does not diverge, and it costs 2 ms."""

MOVED_LEVELS = 16.0
"""Of 255: above the noise of a camera and of the video codec, below any object against its background."""

FLOOR_SHARE = 0.005
"""Of a view's pixels, changed by all of `FLOOR_LEVELS`: where less moves, little can diverge."""

FLOOR_LEVELS = 64.0

MAX_PSNR_DB = 60.0
"""Said of pictures that are equal."""


@dataclass(frozen=True)
class Divergence:
    """Of the wrist's view, exterior 1's and exterior 2's.

    Attributes:
        psnr_db: of the pictures at a quarter of their size.
        motion: see the module.
    """

    psnr_db: tuple[float, float, float]
    motion: tuple[float, float, float]

    @property
    def worst(self) -> float:
        """The largest motion measure: the one that a limit is set for."""
        return max(self.motion)


def diverged(
    before: NDArray[np.uint8],
    foreseen: NDArray[np.uint8],
    seen: NDArray[np.uint8],
    views: Sequence[Rectangle],
) -> Divergence:
    """Compare two canvases.

    Args:
        before: uint8 [540, 640, 3], when the policy was asked.
        foreseen, seen: the same, of one later moment.
        views: the three that are compared.
    """
    found = [_of_view(*(_shrunk(picture, view) for picture in (before, foreseen, seen))) for view in views]
    (wrist, wrist_motion), (first, first_motion), (second, second_motion) = found
    return Divergence((wrist, first, second), (wrist_motion, first_motion, second_motion))


def _of_view(
    before: NDArray[np.float32], foreseen: NDArray[np.float32], seen: NDArray[np.float32]
) -> tuple[float, float]:
    error = float(np.mean((foreseen - seen) ** 2))
    psnr_db = MAX_PSNR_DB if error == 0 else min(MAX_PSNR_DB, 10 * math.log10(255.0**2 / error))
    moved = np.maximum(_distance(seen, before), _distance(foreseen, before))
    mask = moved > MOVED_LEVELS
    floor = FLOOR_SHARE * FLOOR_LEVELS * mask.size
    motion = float(_distance(seen, foreseen)[mask].sum()) / max(float(moved[mask].sum()), floor)
    return round(psnr_db, 2), round(motion, 3)


def _distance(one: NDArray[np.float32], other: NDArray[np.float32]) -> NDArray[np.float32]:
    """[height, width], levels: mean over the colours."""
    return np.abs(one - other).mean(axis=2)


def _shrunk(canvas: NDArray[np.uint8], view: Rectangle) -> NDArray[np.float32]:
    left, top, width, height = view
    part = canvas[top : top + height, left : left + width]
    size = max(1, width // SHRUNK_BY), max(1, height // SHRUNK_BY)
    return cv2.resize(part, size, interpolation=cv2.INTER_AREA).astype(np.float32)
