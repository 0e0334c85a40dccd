import numpy as np

from pocket.world.controls import depth_pictures, segmentation_pictures
from pocket.world.episode import FIRST_THING_ID


def test_near_is_white_and_nothing_is_black():
    depth = np.array([[[0.4, 0.8, 0.0]]], np.float16)

    picture = depth_pictures(depth)

    assert picture.dtype == np.uint8
    assert picture[0, 0, :, 0].tolist() == [255, 0, 0]


def test_parts_have_colours_of_their_own():
    parts = np.array([[[0, 1, 2, 3, FIRST_THING_ID, FIRST_THING_ID + 1]]], np.uint8)

    picture = segmentation_pictures(parts)

    assert len(np.unique(picture.reshape(-1, 3), axis=0)) == 6
