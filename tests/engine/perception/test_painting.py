"""How depth and objects look as controls."""

from typing import Any, cast

import numpy as np

from engine.perception.painting import COLOURS, DepthPainter, coloured, grey


class Depths:
    """Says what it was given."""

    def __init__(self, *depths: np.ndarray) -> None:
        self._depths = iter(depths)

    def estimate(self, _: np.ndarray) -> np.ndarray:
        return next(self._depths)


def test_the_nearest_point_of_the_whole_video_is_white_and_the_farthest_black():
    painter = DepthPainter(cast(Any, Depths(np.full((2, 3), 2, np.float32), np.array([[1, 2, 3]] * 2, np.float32))))
    room = np.zeros((2, 2, 3, 3), np.uint8)
    for place in room:
        painter.paint(place, place)
    painter.finish(room)
    assert np.array_equal(room[0], np.full((2, 3, 3), 128))
    assert np.array_equal(room[1, 0, :, 0], [0, 128, 255])
    assert np.array_equal(room[..., 0], room[..., 2])


def test_a_flat_video_is_black():
    assert not grey(np.full((2, 2), 7, np.float32), 7, 7).any()


def test_smaller_objects_lie_over_larger_ones_on_black():
    masks = np.array([[[1, 1, 1, 0]], [[0, 1, 0, 0]]], bool)
    assert coloured(masks).tolist() == [[list(COLOURS[0]), list(COLOURS[1]), list(COLOURS[0]), [0, 0, 0]]]


def test_no_two_objects_look_alike_and_none_is_black():
    colours = np.array(COLOURS, int)
    apart = np.abs(colours[:, None] - colours[None]).max(axis=2) + 255 * np.eye(len(colours), dtype=int)
    assert apart.min() >= 20
    assert colours.max(axis=1).min() >= 150
