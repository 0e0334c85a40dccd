import numpy as np
import pytest

from pocket.report.likeness import MAX_PSNR_DB, box_iou, mask_iou, moved, outline_f1, psnr_db, steps


def _square(left: int) -> np.ndarray:
    frame = np.full((64, 64, 3), 100, np.uint8)
    frame[20:40, left : left + 20] = 200
    return frame


def test_noise_is_measured_in_decibels_and_equal_pictures_have_the_most():
    picture = np.full((8, 8, 3), 100, np.uint8)

    assert psnr_db(picture, picture) == MAX_PSNR_DB
    assert psnr_db(picture, picture + 10) == pytest.approx(20 * np.log10(25.5))


def test_outlines_may_be_two_pixels_off_and_no_more():
    line = np.zeros((32, 32), bool)
    line[10] = True

    assert outline_f1(line, line) == 1
    assert outline_f1(np.roll(line, 2, axis=0), line) == 1
    assert outline_f1(np.roll(line, 3, axis=0), line) == 0
    assert outline_f1(np.zeros_like(line), line) == 0
    # A picture that is all outline follows everything and is not precise.
    assert outline_f1(np.ones_like(line), line) < 0.3


def test_masks_and_boxes_overlap_by_their_union():
    left, right = np.zeros((4, 4), bool), np.zeros((4, 4), bool)
    left[:, :2], right[:, 1:3] = True, True

    assert mask_iou(left, right) == pytest.approx(1 / 3)
    assert mask_iou(left & False, left & False) == 1
    assert box_iou((0, 0, 2, 4), (1, 0, 3, 4)) == pytest.approx(1 / 3)
    assert box_iou((0, 0, 1, 1), (2, 2, 3, 3)) == 0


def test_motion_is_where_and_how_much_a_clip_changes():
    still, moving = np.stack([_square(10)] * 3), np.stack([_square(left) for left in (10, 20, 30)])

    assert steps(still).tolist() == [0, 0]
    assert steps(moving).tolist() == pytest.approx([2 * 200 * 100 / 64**2] * 2)
    assert not moved(still).any()
    assert moved(moving)[20:40, 10:50].all()
    assert not moved(moving)[:19].any()
