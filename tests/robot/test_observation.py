import numpy as np

from robot.observation import letterbox


def test_a_picture_of_that_size_comes_back_as_it_is():
    image = np.ones((224, 224, 3), np.uint8)

    assert letterbox(image, 224, 224) is image


def test_a_wide_picture_is_fitted_between_black_bars():
    boxed = letterbox(np.full((360, 640, 3), 200, np.uint8), 224, 224)

    assert boxed.shape == (224, 224, 3)
    assert (boxed[:49] == 0).all()
    assert (boxed[49:175] == 200).all()
    assert (boxed[175:] == 0).all()


def test_a_tall_picture_is_fitted_between_black_bars():
    boxed = letterbox(np.full((100, 50, 3), 200, np.uint8), 100, 100)

    assert (boxed[:, :25] == 0).all()
    assert (boxed[:, 25:75] == 200).all()
