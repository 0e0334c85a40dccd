import numpy as np
import pytest

from robot.safety import HOME, LIMITS
from robot.simulation.physics import Physics
from robot.simulation.scene import Scene


@pytest.fixture(params=["plain_scene", "mesh_scene"])
def physics(request: pytest.FixtureRequest) -> Physics:
    scene: Scene = request.getfixturevalue(request.param)
    return Physics(scene, seed=1)


def _steps(physics: Physics, seconds: float) -> None:
    for _ in range(round(seconds / 0.002)):
        physics.step()


def test_the_arm_stays_home_against_its_weight(physics: Physics):
    _steps(physics, 1.0)

    assert np.abs(physics.snapshot().joint_positions - HOME).max() < 0.01
    assert physics.is_steady


def test_the_arm_goes_near_its_target_softly(physics: Physics):
    target = HOME + 0.15

    physics.aim(target, 0.0)
    _steps(physics, 0.1)
    soon = np.abs(physics.snapshot().joint_positions - target).max()
    _steps(physics, 1.4)
    later = np.abs(physics.snapshot().joint_positions - target).max()

    assert soon > 0.1
    assert later < 0.06


def test_the_arm_trails_a_moving_target_by_more_than_a_tick(physics: Physics):
    """Springs of 92 N·m/rad and dampers of 9 N·m·s/rad on joint 1 at home: 0.1 s, and friction adds to it."""
    speed = 0.5
    for tick in range(15):
        physics.aim(HOME + np.array([speed * tick / 15, 0, 0, 0, 0, 0, 0]), 0.0)
        _steps(physics, 0.066)

    behind_ticks = (speed * 14 / 15 - physics.snapshot().joint_positions[0]) / (speed / 15)
    assert 1.2 < behind_ticks < 6


def test_the_gripper_says_how_far_it_closed(physics: Physics):
    said = []
    for wanted in (0.0, 0.5, 1.0):
        physics.aim(HOME, wanted)
        _steps(physics, 1.0)
        said.append(physics.snapshot().gripper_position)

    np.testing.assert_allclose(said, [0.0, 0.5, 1.0], atol=0.02)


def test_things_lie_still_on_the_table(physics: Physics):
    before = physics.object_poses()
    _steps(physics, 1.0)

    for thing, was in zip(physics.object_poses(), before, strict=True):
        assert np.abs(thing.position - was.position).max() < 0.003
        assert thing.position[2] == pytest.approx(thing.half_size[2], abs=0.002)


def test_a_seed_lays_the_table_anew_and_brings_the_arm_home(physics: Physics):
    physics.aim(HOME + 0.2, 1.0)
    _steps(physics, 0.5)
    physics.reset(5)
    first = [thing.position.tolist() for thing in physics.object_poses()]
    physics.reset(5)

    assert [thing.position.tolist() for thing in physics.object_poses()] == first
    assert physics.snapshot().joint_positions.tolist() == HOME.tolist()
    assert physics.snapshot().time_s == pytest.approx(0.5)


def test_the_joints_of_the_model_end_where_the_pandas_do(physics: Physics):
    model, limits = physics.scene.model, LIMITS["panda"]

    ranges = np.array([model.joint(f"joint{number}").range for number in range(1, 8)])

    np.testing.assert_allclose(ranges[:, 0], limits.position_min)
    np.testing.assert_allclose(ranges[:, 1], limits.position_max)
