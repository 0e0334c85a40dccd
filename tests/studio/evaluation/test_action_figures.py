"""Actions against the truth: worked by hand."""

import numpy as np
import pytest

from studio.errors import BadInput
from studio.evaluation.action_figures import is_pose, pose_figures, squared_errors
from studio.evaluation.generations import GenerationTruth

STAY = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]
FORWARD = [1.0, *STAY[1:]]


def test_squared_errors_are_of_each_channel_and_of_all():
    figures = squared_errors("action_mse", np.array([[0.0, 1.0], [2.0, 1.0]]), np.array([[0.0, 0.0], [0.0, 0.0]]))
    assert figures.series == {"action_mse": (2.0, 1.0)}
    assert figures.values == {"action_mse": 1.5}


def test_poses_are_measured_in_metres_where_the_truth_says_what_a_unit_is():
    found = np.array([STAY, STAY])
    truth = GenerationTruth.model_validate({"actions": [FORWARD, FORWARD]})
    assert pose_figures(found, truth).values["translation_error_m"] == pytest.approx(1.0)
    assert pose_figures(found, truth).values["rotation_error_deg"] == pytest.approx(0.0)
    scaled = truth.model_copy(update={"action_scale": (0.05, 1, 1, *[1.0] * 6)})
    assert pose_figures(found, scaled).values["translation_error_m"] == pytest.approx(0.05)


def test_other_shapes_are_refused():
    truth = GenerationTruth.model_validate({"actions": [FORWARD]})
    with pytest.raises(BadInput, match=r"\[2, 9\], and the reference \[1, 9\]"):
        pose_figures(np.array([STAY, STAY]), truth)


def test_bodies_that_move_by_poses_are_known():
    assert is_pose("av")
    assert is_pose("umi")
    assert not is_pose("droid_joint_position")
    assert not is_pose("pusht")
