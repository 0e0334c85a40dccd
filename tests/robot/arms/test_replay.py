from pathlib import Path

import numpy as np

from robot.arms.replay import ReplayArm
from robot.recording import read_episode
from robot_episodes import frame, recorded
from robot_fakes import FakeClock


def test_it_goes_where_it_went_whatever_it_is_told(tmp_path: Path):
    recorded(tmp_path, 10)
    clock = FakeClock()
    arm = ReplayArm(read_episode(tmp_path, 0), clock)

    clock.now_s += 4.5 / 15
    arm.set_target(np.zeros(7), 1.0)
    np.testing.assert_allclose(arm.state().joint_positions, frame(4).state[:7], atol=1e-6)
    assert arm.state().joint_velocities[0] > 0.1

    clock.now_s += 10
    np.testing.assert_allclose(arm.state().joint_positions, frame(9).state[:7], atol=1e-6)
    np.testing.assert_array_equal(arm.state().joint_velocities, 0)
    assert arm.state().measured_at_s == clock.now_s
