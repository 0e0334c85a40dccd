"""Errors of motion by hand, and against evo."""

import numpy as np
import pytest
from numpy.typing import NDArray

from studio.errors import BadInput
from studio.evaluation.motion import (
    action_mse,
    pose_errors,
    poses_of,
    rotation_from_6d,
    rotation_to_6d,
    steps_of,
    trajectory_error,
)

Array = NDArray[np.float64]


def about_z(angle: float) -> Array:
    return np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])


def about_y(angle: float) -> Array:
    return np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]])


def pose(rotation: Array, *position: float) -> Array:
    made = np.eye(4)
    made[:3, :3], made[:3, 3] = rotation, position
    return made


def winding(angle: float, tilt: float, step: float, drift: float) -> Array:
    return np.stack(
        [
            pose(
                about_z(angle * t) @ about_y(tilt * t),
                step * t,
                0.3 * np.sin(0.7 * t) + drift * t,
                0.1 * t * t * drift,
            )
            for t in range(8)
        ]
    )


def test_a_straight_drive_that_turns_too_much_is_worked_out_by_hand():
    true = np.stack([pose(np.eye(3), t, 0, 0) for t in range(3)])
    # Each step turns by 2° and is 1.5 m long instead of 1.
    turn = np.radians(2)
    one = pose(about_z(turn), 1.5, 0, 0)
    estimated = np.stack([np.eye(4), one, one @ one])

    errors = pose_errors(estimated, true)

    assert errors.rotation_error_deg == pytest.approx(2)
    assert errors.translation_error_m == pytest.approx(0.5)


def test_a_straight_line_that_is_too_long_is_off_at_its_ends():
    true = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0]])

    # Aligned at the middle, the ends are 1 m off: the root of (1 + 0 + 1) / 3. A scale would hide it.
    assert trajectory_error(true * 2, true) == pytest.approx(np.sqrt(2 / 3))


def test_where_the_world_lies_does_not_matter():
    true = winding(0.10, 0.05, 0.5, 0.0)
    elsewhere = pose(about_z(0.8) @ about_y(0.3), 1, 2, 3) @ true

    assert pose_errors(elsewhere, true) == pytest.approx((0, 0, 0), abs=1e-9)


def test_a_reflection_is_no_alignment():
    corner = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])

    assert trajectory_error(corner * [1, 1, -1], corner) > 0.1


def test_errors_are_those_of_evo():
    # evo 1.38.1: APE of the translation part after `align(correct_scale=False)`, RMSE; RPE over 1 frame of the
    # translation part and of the angle, mean.
    true = winding(0.10, 0.05, 0.5, 0.0)
    estimated = pose(about_z(0.8) @ about_y(0.3), 1, 2, 3) @ winding(0.13, 0.04, 0.52, 0.03)

    errors = pose_errors(estimated, true)

    assert errors.trajectory_error_m == pytest.approx(0.041060983340514855, rel=1e-9)
    assert errors.translation_error_m == pytest.approx(0.03577620345464684, rel=1e-9)
    assert errors.rotation_error_deg == pytest.approx(1.830489931848042, rel=1e-7)


def test_six_values_are_the_nearest_rotation():
    rotation = about_z(0.4) @ about_y(-1.1)

    assert rotation_from_6d(rotation_to_6d(rotation)) == pytest.approx(rotation)
    # Neither of length 1 nor at right angles: the two columns move towards each other equally, from 80° to 90°.
    lean = np.radians(10)
    found = rotation_from_6d(np.array([2.0, 0, 0, 2 * np.sin(lean), 2 * np.cos(lean), 0]))
    assert found == pytest.approx(about_z(-lean / 2))
    assert np.linalg.det(rotation_from_6d(np.random.default_rng(0).normal(size=(50, 6)))) == pytest.approx(1)


def test_actions_are_the_steps_of_a_trajectory():
    poses = winding(0.10, 0.05, 0.5, 0.1)
    steps = steps_of(poses)
    actions = np.concatenate((steps[:, :3, 3], rotation_to_6d(steps[:, :3, :3]), np.ones((7, 1))), axis=1)

    assert poses_of(actions) == pytest.approx(np.linalg.inv(poses[0]) @ poses)


def test_the_error_of_actions_is_by_channel():
    assert action_mse(np.array([[1.0, 0], [3, 0]]), np.array([[0.0, 0], [0, 2]])).tolist() == [5, 2]


@pytest.mark.parametrize(("one", "other"), [((3, 4, 4), (4, 4, 4)), ((1, 4, 4), (1, 4, 4)), ((3, 3), (3, 3))])
def test_shapes_that_do_not_fit_are_refused(one: tuple[int, ...], other: tuple[int, ...]):
    with pytest.raises(BadInput, match="expected"):
        pose_errors(np.zeros(one), np.zeros(other))
    with pytest.raises(BadInput, match="expected"):
        poses_of(np.zeros((3, 8)))
