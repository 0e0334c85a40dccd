import cv2
import numpy as np

from pocket.world import Episode
from pocket.world.outline_fitting import wanted_of
from pocket.world.reading import Found, Wanted, mark, read_picture

TABLE, RED, BLUE = (168, 143, 112), (205, 25, 22), (26, 56, 200)


def _picture() -> np.ndarray:
    picture = np.full((256, 256, 3), TABLE, np.uint8)
    cv2.circle(picture, (50, 120), 26, RED, -1)
    cv2.circle(picture, (200, 150), 22, BLUE, -1)
    cv2.circle(picture, (130, 60), 22, BLUE, -1)
    return picture


def _found(colour: str, shape: str, column: str) -> Found:
    return Found(colour, shape, column, (0.0, 0.0, 1.0, 1.0), 0.01)


def test_colour_shape_place_and_count_are_read_off_pixels_alone():
    found = read_picture(_picture())

    assert [(thing.colour, thing.shape, thing.column) for thing in found] == [
        ("red", "ball", "left"),
        ("blue", "ball", "middle"),
        ("blue", "ball", "right"),
    ]
    np.testing.assert_allclose(found[0].box, (94, 367, 301, 574), atol=6)


def test_an_empty_table_and_a_grey_arm_hold_no_thing():
    picture = np.full((256, 256, 3), TABLE, np.uint8)
    cv2.rectangle(picture, (100, 0), (150, 90), (235, 235, 238), -1)
    cv2.rectangle(picture, (110, 90), (140, 130), (30, 30, 33), -1)

    assert read_picture(picture) == ()


def test_each_mark_is_lost_for_its_own_fault():
    wanted = (Wanted("red", "cube", column="left"), Wanted("blue", "ball", 2))
    right = (_found("red", "cube", "left"), _found("blue", "ball", "middle"), _found("blue", "ball", "right"))
    assert mark(right, wanted).all_right

    other_colour = (_found("green", "cube", "left"), *right[1:])
    assert not mark(other_colour, wanted).colours
    assert mark(other_colour, wanted).shapes
    other_shape = (_found("red", "cylinder", "left"), *right[1:])
    assert not mark(other_shape, wanted).shapes
    assert mark(other_shape, wanted).colours
    one_less = right[:2]
    assert not mark(one_less, wanted).count
    other_place = (_found("red", "cube", "right"), *right[1:])
    assert not mark(other_place, wanted).places
    assert mark(other_place, wanted).count
    swapped = (_found("red", "ball", "left"), _found("blue", "cube", "middle"), _found("blue", "ball", "right"))
    assert mark(swapped, wanted).colours
    assert not any(
        mark(found, wanted).all_right for found in (other_colour, other_shape, one_less, other_place, swapped)
    )


def test_a_rendered_still_is_read_as_what_it_is(still: Episode):
    assert mark(read_picture(still.frames[0]), wanted_of(still.things)).all_right
