import numpy as np

from robot.evaluation.disturbances import SHIFTED_BY_PIXELS, seen_by
from robot_fakes import views_at


def test_a_shifted_camera_shows_the_same_image_further_to_the_side():
    views = views_at(1.0)
    views.exterior_1[:, 100] = 255

    shifted = seen_by("camera", views)

    assert shifted.exterior_1[0, 100 + SHIFTED_BY_PIXELS].min() == 255
    assert np.array_equal(shifted.wrist, views.wrist)
    assert seen_by("object", views) is views
