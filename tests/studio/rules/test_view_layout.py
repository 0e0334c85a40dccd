import numpy as np
import pytest
from pydantic import ValidationError

from studio.rules.view_layout import Rectangle, View, ViewLayout

LAYOUT = ViewLayout(
    canvas=(8, 6),
    size=(6, 4),
    views=(
        View(
            cut=Rectangle(left=2, top=1, width=2, height=2),
            shown=Rectangle(left=0, top=0, width=2, height=2),
        ),
        View(
            cut=Rectangle(left=0, top=0, width=8, height=4),
            shown=Rectangle(left=2, top=2, width=4, height=2),
        ),
    ),
)


def canvases(count: int = 2) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, (count, 6, 8, 3), dtype=np.uint8)


def test_a_view_of_the_same_size_is_cut_out_as_it_is_and_the_rest_is_black():
    frames = canvases()
    seen = LAYOUT.arranged(frames)
    assert (seen.shape, seen.dtype) == ((2, 4, 6, 3), np.uint8)
    np.testing.assert_array_equal(seen[:, :2, :2], frames[:, 1:3, 2:4])
    assert not seen[:, :2, 2:].any()
    assert not seen[:, 2:, :2].any()


def test_resizing_keeps_what_is_of_one_colour_and_shrinks_over_all_pixels():
    frames = np.full((1, 6, 8, 3), 77, np.uint8)
    np.testing.assert_array_equal(LAYOUT.arranged(frames)[0, 2:, 2:], 77)
    shrunk = LAYOUT.arranged(canvases(1))[0, 2:, 2:].astype(float)
    assert abs(shrunk.mean() - canvases(1)[0, :4].mean()) < 6


def test_it_takes_canvases_of_its_size_alone():
    assert LAYOUT.takes(canvases())
    assert not LAYOUT.takes(np.zeros((1, 4, 6, 3), np.uint8))


def test_a_rectangle_of_nothing_is_refused():
    with pytest.raises(ValidationError):
        Rectangle(left=0, top=0, width=0, height=2)


def test_a_view_beyond_its_pictures_is_refused():
    inside = Rectangle(left=0, top=0, width=2, height=2)
    beyond = Rectangle(left=7, top=0, width=2, height=2)
    for cut, shown in ((beyond, inside), (inside, beyond)):
        with pytest.raises(ValidationError, match="every view is cut out"):
            ViewLayout(canvas=(8, 6), size=(6, 4), views=(View(cut=cut, shown=shown),))
