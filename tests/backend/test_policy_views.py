"""Three cameras to the policy's one picture."""

from typing import Any

import numpy as np
import pytest

from backend.policy.views import read_canvas
from studio.errors import BadInput


def view(height: int, width: int, value: int) -> np.ndarray:
    return np.full((height, width, 3), value, np.uint8)


def views(**changes: Any) -> dict[str, Any]:
    named = {
        "observation/wrist_image_left": view(360, 640, 10),
        "observation/exterior_image_1_left": view(180, 320, 20),
        "observation/exterior_image_2_left": view(180, 320, 30),
    }
    return named | {f"observation/{name}": value for name, value in changes.items()}


def test_the_wrist_lies_above_and_the_exteriors_side_by_side_below():
    canvas = read_canvas(views())

    assert canvas.shape == (540, 640, 3)
    assert (canvas[:360] == 10).all()
    assert (canvas[360:, :320] == 20).all()
    assert (canvas[360:, 320:] == 30).all()


def test_a_finished_canvas_is_taken_to_the_bit():
    canvas = np.random.default_rng(1).integers(0, 256, (540, 640, 3), np.uint8)

    assert (read_canvas({"observation/image": canvas}) == canvas).all()


def test_a_canvas_of_the_same_shape_is_resized_and_of_another_refused():
    assert (read_canvas({"observation/image": view(270, 320, 7)}) == 7).all()

    with pytest.raises(BadInput, match="480x480") as refused:
        read_canvas({"observation/image": view(480, 480, 7)})
    assert refused.value.param == "observation/image"


def test_cameras_that_are_counted_from_0_are_the_same_two():
    named = views(exterior_image_0_left=view(180, 320, 20), exterior_image_1_left=view(180, 320, 30))
    del named["observation/exterior_image_2_left"]

    assert (read_canvas(named) == read_canvas(views())).all()


def test_a_view_of_another_shape_is_bordered_and_not_stretched():
    canvas = read_canvas(views(wrist_image_left=view(224, 224, 10), exterior_image_1_left=view(720, 1280, 20)))

    assert (canvas[:360, :140] == 0).all()
    assert (canvas[:360, 140:500] == 10).all()
    assert (canvas[:360, 500:] == 0).all()
    assert (canvas[360:, :320] == 20).all()


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "an array is expected"),
        (np.zeros((180, 320, 3), np.float32), "float32"),
        (np.zeros((180, 320), np.uint8), r"\[180, 320\]"),
        (np.zeros((3, 180, 320), np.uint8), r"\[3, 180, 320\]"),
        (np.zeros((0, 320, 3), np.uint8), "320x0"),
        (np.zeros((5000, 20, 3), np.uint8), "20x5000"),
    ],
)
def test_what_is_no_picture_is_refused_by_name(value: Any, words: str):
    with pytest.raises(BadInput, match=words) as refused:
        read_canvas(views(exterior_image_2_left=value))

    assert refused.value.param == "observation/exterior_image_2_left"


def test_a_camera_that_is_missing_is_named_and_never_made_up():
    named = views()
    del named["observation/exterior_image_2_left"]

    with pytest.raises(BadInput, match="exterior_image_2_left is missing"):
        read_canvas(named)
