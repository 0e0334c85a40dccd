"""Controls are computed with NVIDIA's numbers, in their order."""

from typing import Any

import cv2
import numpy as np
import pytest

from backend.media import compute_control
from backend.media.controls import BLUR_FACTORS, EDGE_THRESHOLDS

STRENGTHS: Any = ("very_low", "low", "medium", "high", "very_high")


def picture(width: int = 320, height: int = 192) -> Any:
    """Soft shapes with a little grain: outlines of every contrast."""
    random = np.random.default_rng(0)
    coarse = random.integers(0, 255, (height // 16, width // 16, 3), dtype=np.uint8)
    soft = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC).astype(int)
    return (soft + random.integers(-6, 7, soft.shape)).clip(0, 255).astype(np.uint8)


@pytest.mark.parametrize(
    ("strength", "lower", "upper"),
    [("very_low", 20, 50), ("low", 50, 100), ("medium", 100, 200), ("high", 200, 300), ("very_high", 300, 400)],
)
def test_outlines_are_cannys_on_colour_in_three_equal_channels(strength: Any, lower: int, upper: int):
    outlines = compute_control(picture(), "edge", strength)

    assert (outlines.shape, outlines.dtype) == ((192, 320, 3), np.uint8)
    assert set(np.unique(outlines)) <= {0, 255}
    assert np.array_equal(outlines[..., 0], outlines[..., 2])
    assert np.array_equal(outlines[..., 1], cv2.Canny(picture(), lower, upper))


def test_the_stronger_the_fewer_outlines():
    amounts = [compute_control(picture(), "edge", strength).mean() for strength in STRENGTHS]

    assert amounts == sorted(amounts, reverse=True)
    assert amounts[0] > amounts[-1]


def test_medium_blur_is_halved_filtered_enlarged_and_made_coarse():
    # 320x192 halved is 160x96: 160/720 of 30 is 6.67, rounded and made odd 7; of 150 and 100, 33.3 and 22.2.
    small = cv2.resize(picture(), (160, 96), interpolation=cv2.INTER_AREA)
    filtered = cv2.bilateralFilter(small, 7, 150 * 160 / 720, 100 * 160 / 720)
    large = cv2.resize(filtered, (320, 192), interpolation=cv2.INTER_LINEAR)
    coarse = cv2.resize(large, (32, 19), interpolation=cv2.INTER_CUBIC)

    assert np.array_equal(
        compute_control(picture(), "blur", "medium"), cv2.resize(coarse, (320, 192), interpolation=cv2.INTER_CUBIC)
    )


def test_the_finest_blur_is_filtered_whole():
    filtered = cv2.bilateralFilter(picture(), 13, 150 * 320 / 720, 100 * 320 / 720)
    coarse = cv2.resize(filtered, (80, 48), interpolation=cv2.INTER_CUBIC)

    assert np.array_equal(
        compute_control(picture(), "blur", "very_low"), cv2.resize(coarse, (320, 192), interpolation=cv2.INTER_CUBIC)
    )


@pytest.mark.parametrize("strength", STRENGTHS)
def test_every_strength_blurs_any_canvas(strength: Any):
    for width, height in ((192, 320), (256, 256)):
        blurred = compute_control(picture(width, height), "blur", strength)

        assert (blurred.shape, blurred.dtype) == ((height, width, 3), np.uint8)
        steps, before = (np.abs(np.diff(pixels.astype(int), axis=1)) for pixels in (blurred, picture(width, height)))
        assert steps.mean() < before.mean()


def test_presets_are_complete():
    assert tuple(EDGE_THRESHOLDS) == tuple(BLUR_FACTORS) == STRENGTHS
