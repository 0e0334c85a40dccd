"""Where cameras see the hand of the simulated table's arm: as MuJoCo has it."""

import numpy as np
import pytest

from robot.safety.limits import HOME
from robot.simulation.arm_parts import PINCH_SITE
from robot.simulation.library import mujoco
from robot.simulation.physics import Physics
from robot.simulation.scene import WRIST_CAMERA, build_scene
from studio.panda.cameras import WRIST_SIZE, hand_paths, project_wrist

pytest.importorskip("mujoco")


def test_the_wrist_camera_sees_a_place_where_mujocos_does():
    scene = build_scene(plain=True)
    physics = Physics(scene, seed=3)
    data = physics.data
    camera = data.camera(WRIST_CAMERA)
    place = data.site(PINCH_SITE).xpos + np.array([0.02, -0.03, -0.05])
    seen = camera.xmat.reshape(3, 3).T @ (place - camera.xpos)
    focal = (
        WRIST_SIZE[1]
        / 2
        / np.tan(
            np.radians(scene.model.cam_fovy[mujoco.mj_name2id(scene.model, mujoco.mjtObj.mjOBJ_CAMERA, WRIST_CAMERA)])
            / 2
        )
    )
    expected = np.array(WRIST_SIZE) / 2 + focal * np.array([seen[0], -seen[1]]) / -seen[2]
    assert project_wrist(place, HOME) == pytest.approx(expected, abs=0.5)


def test_the_paths_of_rows_lie_in_the_canvas_each_in_its_own_view():
    rows = [[*(HOME + step * np.array([0.02, 0.02, 0, 0, 0, 0, 0])), 0.0] for step in range(8)]
    wrist, first, second = hand_paths([*HOME, 0.0], rows)
    assert len(first) == len(second) == 9  # where it is now, and after each row
    assert all(0 <= x <= 640 and 0 <= y <= 360 for x, y in wrist)
    assert all(0 <= x <= 320 and 360 <= y <= 540 for x, y in first)
    assert all(320 <= x <= 640 and 360 <= y <= 540 for x, y in second)
    assert first[0] != first[-1]


def test_what_leaves_a_view_is_left_out_of_its_path():
    away = [[*(HOME + np.array([step * 0.3, 0, 0, 0, 0, 0, 0])), 0.0] for step in range(8)]
    _, first, second = hand_paths([*HOME, 0.0], away)
    assert min(len(first), len(second)) < 9
