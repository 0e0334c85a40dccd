import numpy as np
import pytest

from robot.kinematics import SOFT_MAX, SOFT_MIN, flange_pose, pointing_down, reach, turn_between, turned_by, yaw_of
from robot.safety import HOME
from robot.simulation.library import mujoco
from robot.simulation.scene import Scene
from studio.panda.kinematics import locate_hand


@pytest.mark.parametrize("scene_name", ["plain_scene", "mesh_scene"])
def test_the_hand_is_where_the_simulated_arm_has_it(scene_name: str, request: pytest.FixtureRequest):
    scene: Scene = request.getfixturevalue(scene_name)
    model = scene.model
    data = mujoco.MjData(model)
    site = model.site("pinch").id
    joints = [model.joint(f"joint{number}") for number in range(1, 8)]
    theirs = np.zeros((6, model.nv))
    generator = np.random.default_rng(0)
    for _ in range(20):
        angles = generator.uniform(SOFT_MIN, SOFT_MAX)
        data.qpos[[joint.qposadr[0] for joint in joints]] = angles
        mujoco.mj_forward(model, data)
        mujoco.mj_jacSite(model, data, theirs[:3], theirs[3:], site)

        position, axes, jacobian = locate_hand(angles)

        np.testing.assert_allclose(position, data.site_xpos[site], atol=1e-9)
        np.testing.assert_allclose(axes, data.site_xmat[site].reshape(3, 3), atol=1e-9)
        np.testing.assert_allclose(jacobian, theirs[:, [joint.dofadr[0] for joint in joints]], atol=1e-9)


def test_the_start_pose_points_down_and_straight():
    _, axes, _ = locate_hand(HOME)

    np.testing.assert_allclose(axes, pointing_down(0.0), atol=1e-9)


@pytest.mark.parametrize("place", [(0.36, -0.27, 0.02), (0.66, 0.27, 0.02), (0.5, 0.0, 0.25)])
@pytest.mark.parametrize("yaw", [-1.4, 0.0, 1.4])
def test_every_place_on_the_table_is_reached_within_the_limits(place: tuple[float, float, float], yaw: float):
    joints = reach(HOME, np.array(place), pointing_down(yaw), num_iterations=60)
    position, axes, _ = locate_hand(joints)

    np.testing.assert_allclose(position, place, atol=0.002)
    assert yaw_of(axes) == pytest.approx(yaw, abs=0.01)
    assert ((joints >= SOFT_MIN) & (joints <= SOFT_MAX)).all()


def test_what_cannot_be_reached_stays_within_the_limits():
    joints = reach(HOME, np.array([3.0, 0.0, 3.0]), pointing_down(0.0), num_iterations=50)

    assert ((joints >= SOFT_MIN) & (joints <= SOFT_MAX)).all()


def test_a_turn_leads_from_one_set_of_axes_to_the_other():
    before, after = pointing_down(0.3), turned_by(pointing_down(-1.0), np.array([0.2, -0.1, 0.4]))

    np.testing.assert_allclose(turned_by(before, turn_between(before, after)), after, atol=1e-9)
    np.testing.assert_allclose(turn_between(before, before), np.zeros(3), atol=1e-12)


def test_with_all_joints_at_zero_the_flange_looks_down_from_0_926():
    np.testing.assert_allclose(flange_pose(np.zeros(7))[:3], [0.088, 0, 0.926], atol=1e-9)
    assert abs(abs(flange_pose(np.zeros(7))[3]) - np.pi) < 1e-9


def test_at_home_it_is_in_front_of_the_arm_and_looks_down():
    x, y, z, roll, pitch, _ = flange_pose(HOME)

    assert 0.2 < x < 0.6
    assert abs(y) < 1e-9
    assert 0.2 < z < 0.8
    assert abs(abs(roll) - np.pi) < 1e-6
    assert abs(pitch) < 1e-6


def test_the_first_joint_turns_everything_about_the_base():
    turned = HOME.copy()
    turned[0] = np.pi / 2

    x, y, z = flange_pose(HOME)[:3]
    np.testing.assert_allclose(flange_pose(turned)[:3], [-y, x, z], atol=1e-9)
