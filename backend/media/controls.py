"""Controls of a transfer that are computed from a clip, frame by frame: outlines and blur.

Thresholds, factors, filters and their order are NVIDIA's: `AddControlInputEdge` and `AddControlInputBlur` of
cosmos-framework as `vllm_omni/diffusion/models/cosmos3/transfer.py` computes them. Both work on frames that are on the
canvas already.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from studio.requests.transfer_video import FilteredHint, Strength

EDGE_THRESHOLDS: dict[Strength, tuple[int, int]] = {
    "very_low": (20, 50),
    "low": (50, 100),
    "medium": (100, 200),
    "high": (200, 300),
    "very_high": (300, 400),
}
"""Lower and upper, of Canny's hysteresis: the higher, the fewer outlines."""

BLUR_FACTORS: dict[Strength, tuple[int, int]] = {
    "very_low": (1, 4),
    "low": (4, 4),
    "medium": (2, 10),
    "high": (1, 16),
    "very_high": (4, 16),
}
"""How much smaller the frame is while it is filtered, and how much smaller it is made and enlarged again afterwards."""

REFERENCE_SIDE = 720
"""Longer side, in pixels, of the frame that the filter's numbers are for; they grow and shrink with it."""

DIAMETER, SIGMA_COLOR, SIGMA_SPACE = 30, 150, 100


def compute_control(pixels: NDArray[np.uint8], hint: FilteredHint, strength: Strength) -> NDArray[np.uint8]:
    """One frame of a control.

    Args:
        pixels: uint8 [height, width, 3] RGB on the canvas.

    Returns:
        The same shape; outlines are white on black.
    """
    match hint:
        case "edge":
            return _edge(pixels, *EDGE_THRESHOLDS[strength])
        case "blur":
            return _blur(pixels, *BLUR_FACTORS[strength])


def _edge(pixels: NDArray[np.uint8], lower: int, upper: int) -> NDArray[np.uint8]:
    # Of the three channels Canny takes, at each pixel, the one that changes most.
    outlines = np.asarray(cv2.Canny(np.ascontiguousarray(pixels), lower, upper), np.uint8)
    return np.repeat(outlines[..., None], 3, axis=2)


def _blur(pixels: NDArray[np.uint8], shrunk: int, coarsened: int) -> NDArray[np.uint8]:
    height, width = pixels.shape[:2]
    frame = np.ascontiguousarray(pixels)
    if shrunk > 1:
        frame = _resized(frame, width // shrunk, height // shrunk, cv2.INTER_AREA)
    scale = max(frame.shape[:2]) / REFERENCE_SIDE
    diameter = max(1, round(DIAMETER * scale)) | 1  # odd: 53 at 1280x720, 13 at 320x192
    sigmas = (max(1.0, SIGMA_COLOR * scale), max(1.0, SIGMA_SPACE * scale))
    frame = np.asarray(cv2.bilateralFilter(frame, diameter, *sigmas), np.uint8)
    if shrunk > 1:
        frame = _resized(frame, width, height, cv2.INTER_LINEAR)
    small = _resized(frame, width // coarsened, height // coarsened, cv2.INTER_CUBIC)
    return _resized(small, width, height, cv2.INTER_CUBIC)


def _resized(pixels: NDArray[np.uint8], width: int, height: int, interpolation: int) -> NDArray[np.uint8]:
    return np.asarray(cv2.resize(pixels, (width, height), interpolation=interpolation), np.uint8)
