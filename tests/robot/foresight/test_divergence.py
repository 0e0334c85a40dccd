"""What the two measures say of pictures that are made up."""

import numpy as np
import pytest
from numpy.typing import NDArray

from robot.foresight.clip import WHOLE_VIEWS
from robot.foresight.divergence import MAX_PSNR_DB, diverged

WRIST, FIRST, SECOND = range(3)


def canvas(left: int | None = None, top: int = 100) -> NDArray[np.uint8]:
    """Grey, with a bright square of 80 pixels in the wrist's view."""
    picture = np.full((540, 640, 3), 60, np.uint8)
    if left is not None:
        picture[top : top + 80, left : left + 80] = 220
    return picture


def test_what_happens_as_foreseen_does_not_diverge():
    found = diverged(canvas(100), canvas(200), canvas(200), WHOLE_VIEWS)

    assert found.motion == (0, 0, 0)
    assert found.psnr_db == (MAX_PSNR_DB,) * 3


def test_motion_that_was_foreseen_and_did_not_happen_counts_as_one():
    found = diverged(canvas(100), canvas(300), canvas(100), WHOLE_VIEWS)

    assert found.motion[WRIST] == pytest.approx(1.0)
    assert found.motion[FIRST] == found.motion[SECOND] == 0
    assert found.worst == found.motion[WRIST]


def test_motion_that_was_not_foreseen_counts_as_much():
    assert diverged(canvas(100), canvas(100), canvas(300), WHOLE_VIEWS).worst == pytest.approx(1.0)


def test_a_square_that_is_a_little_off_its_place_diverges_a_little():
    found = diverged(canvas(100), canvas(300), canvas(308), WHOLE_VIEWS)

    assert 0.03 < found.worst < 0.2


def test_a_still_scene_with_noise_does_not_diverge():
    noisy = canvas() + np.random.default_rng(0).integers(0, 12, (540, 640, 3), np.uint8)

    found = diverged(canvas(), canvas(), noisy, WHOLE_VIEWS)

    assert found.worst < 0.01
    assert min(found.psnr_db) > 30


def test_only_what_lies_in_a_view_counts():
    views = ((0, 0, 96, 360), *WHOLE_VIEWS[1:])

    assert diverged(canvas(100), canvas(300), canvas(100), views).worst == 0
