import numpy as np
import pytest

from pocket.report.depth_residual import depth_residual


def _box(left: int) -> tuple[np.ndarray, np.ndarray]:
    """A red thing before a grey wall, and its depth in m."""
    pixels, depth = np.full((96, 96, 3), 150, np.uint8), np.full((96, 96), 2.0, np.float16)
    pixels[30:60, left : left + 30], depth[30:60, left : left + 30] = (200, 30, 30), 0.8
    return pixels, depth


def test_a_picture_whose_regions_are_those_of_the_depth_leaves_nothing_open():
    (pixels, depth), (elsewhere, _) = _box(10), _box(50)

    assert depth_residual(pixels, depth) < 0.1
    assert depth_residual(elsewhere, depth) > 2 * depth_residual(pixels, depth)


def test_it_does_not_depend_on_scale_nor_on_what_is_not_there():
    pixels, depth = _box(10)
    once = depth_residual(pixels, depth)

    assert depth_residual(pixels, depth * np.float16(0.5)) == pytest.approx(once, abs=1e-3)
    depth[:8] = 0
    assert depth_residual(pixels, depth) < 0.1
