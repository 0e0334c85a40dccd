"""Depth and objects compared, against examples worked by hand."""

import numpy as np
import pytest

from engine.perception import MaskOverlaps, si_rmse


def depths(*values: float) -> np.ndarray:
    return np.array([values], np.float32)


@pytest.mark.parametrize(
    ("found", "wanted", "error"),
    [
        # Twice as large everywhere is the same depth.
        (depths(1, 2, 3), depths(2, 4, 6), 0.0),
        # Scaled by 4/2 to [2, 4, 6]; the residuals are 0, 0 and 3.
        (depths(1, 2, 3), depths(2, 4, 9), np.sqrt(3)),
        # Scaled by 2/2; the residual of 18 counts as 10.
        (depths(1, 2, 2), depths(1, 2, 20), 10 / np.sqrt(3)),
        # Where one of them is 0, nothing is known: [2, 3] is left, and equal.
        (depths(0, 2, 3, 5), depths(9, 2, 3, 0), 0.0),
        (depths(0, 0), depths(1, 2), 0.0),
    ],
)
def test_depth_is_compared_up_to_a_scale(found: np.ndarray, wanted: np.ndarray, error: float):
    assert si_rmse(found, wanted) == pytest.approx(error)


def masks(*rows: str) -> np.ndarray:
    """One frame of a row of pixels: an object each."""
    return np.array([[[pixel == "x" for pixel in row]] for row in rows])


def test_objects_are_paired_whatever_their_order_and_over_all_frames():
    overlaps = MaskOverlaps(2, 2)
    overlaps.add(masks("..xx", "x..."), masks("xx..", "..xx"))
    overlaps.add(masks("..xx", "xx.."), masks("xx..", "..xx"))
    # One object is covered in both frames, the other one in 3 of its 4 pixels.
    assert overlaps.likeness.iou == pytest.approx((1 + 3 / 4) / 2)
    assert overlaps.likeness.recall == 1


def test_an_object_that_is_missed_lowers_the_recall_and_not_the_iou():
    overlaps = MaskOverlaps(1, 2)
    overlaps.add(masks("x..."), masks("xx..", "..xx"))
    assert overlaps.likeness == (0.5, 0.5)


def test_what_hardly_overlaps_is_not_found():
    overlaps = MaskOverlaps(1, 1)
    overlaps.add(masks("xxxxxxxxxx"), masks("x........."))
    assert overlaps.likeness == (0.0, 0.0)


def test_without_objects_there_is_nothing_to_find():
    overlaps = MaskOverlaps(0, 0)
    overlaps.add(np.zeros((0, 1, 4), bool), np.zeros((0, 1, 4), bool))
    assert overlaps.likeness == (0.0, 0.0)
