import numpy as np

from robot.recording.pose import flange_pose
from robot.safety import HOME


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
