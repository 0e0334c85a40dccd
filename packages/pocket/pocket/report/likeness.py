"""How alike pictures and clips are: noise ratio, outlines, masks, motion. Pixels alone, nobody's model."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]

MAX_PSNR_DB = 60.0
"""Of equal pictures, which have none."""

REACH_PX = 2
"""How far an outline may be from where it should be and still count."""

MOVES_BY = 24
"""Grey levels that a pixel changes by where something moved."""


def psnr_db(one: Pixels, other: Pixels) -> float:
    """Peak signal to noise of two arrays of one shape, at most ``MAX_PSNR_DB``."""
    error = float(np.mean((one.astype(np.float64) - other.astype(np.float64)) ** 2))
    return MAX_PSNR_DB if error == 0 else min(MAX_PSNR_DB, 10 * float(np.log10(255**2 / error)))


def outline_f1(found: NDArray[np.bool_], wanted: NDArray[np.bool_]) -> float:
    """F1 of outline pixels [H, W] that lie within ``REACH_PX`` of each other; 0 where either has none."""
    if not found.any() or not wanted.any():
        return float(not found.any() and not wanted.any())
    reach = np.ones((2 * REACH_PX + 1, 2 * REACH_PX + 1), np.uint8)
    near_wanted, near_found = (cv2.dilate(mask.astype(np.uint8), reach) > 0 for mask in (wanted, found))
    precision, recall = float(near_wanted[found].mean()), float(near_found[wanted].mean())
    return 0.0 if precision + recall == 0 else 2 * precision * recall / (precision + recall)


def mask_iou(one: NDArray[np.bool_], other: NDArray[np.bool_]) -> float:
    """Intersection over union; 1 of two empty masks."""
    union = int((one | other).sum())
    return float((one & other).sum() / union) if union else 1.0


def box_iou(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """The same of two boxes x1 y1 x2 y2."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    if width <= 0 or height <= 0:
        return 0.0
    both = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (one, other))
    return width * height / (both - width * height)


def steps(frames: Pixels) -> NDArray[np.float64]:
    """Mean change from each frame to the next in grey levels, float64 [T - 1]."""
    return np.abs(np.diff(frames.astype(np.int16), axis=0)).mean(axis=(1, 2, 3))


def moved(frames: Pixels) -> NDArray[np.bool_]:
    """Where anything moved within a clip, bool [H, W]."""
    apart = np.abs(frames[1:].astype(np.int16) - frames[:1].astype(np.int16)).max(axis=(0, 3))
    return np.asarray(cv2.morphologyEx((apart > MOVES_BY).astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3)))) > 0


def filmstrip(frames: Pixels) -> tuple[Pixels, ...]:
    """Four of its frames, from the first to the last."""
    return tuple(frames[index] for index in np.linspace(0, len(frames) - 1, 4).round().astype(int))


def resized(frames: Pixels, size: tuple[int, int]) -> Pixels:
    """uint8 [T, H, W, 3] at another (width, height), by area."""
    if (frames.shape[2], frames.shape[1]) == size:
        return frames
    return np.stack([np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), np.uint8) for frame in frames])
