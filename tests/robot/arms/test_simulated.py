import threading

import numpy as np
import pytest

from robot.arms import Arm
from robot.arms.simulated import HUNG_AFTER_S, SimulatedArm
from robot.faults import ArmLost
from robot.safety import HOME
from robot.simulation.scene import Scene, build_scene
from robot.simulation.world import MAX_LAG_S, World
from robot_fakes import FakeClock


@pytest.fixture
def world(plain_scene: Scene) -> World:
    return World(plain_scene, clock=FakeClock())


@pytest.fixture
def arm(world: World) -> Arm:
    return SimulatedArm(world)


def test_it_is_a_panda_that_follows_its_targets(arm: Arm, world: World):
    arm.set_target(HOME + 0.1, 0.6)
    world.advance(1.0)

    assert arm.model == "panda"
    assert np.abs(arm.state().joint_positions - HOME - 0.1).max() < 0.05
    assert arm.state().gripper_position == pytest.approx(0.6, abs=0.03)


def test_after_a_stop_only_a_recovery_lets_it_move(arm: Arm, world: World):
    arm.stop()
    arm.set_target(HOME + 0.2, 1.0)
    world.advance(0.5)
    assert np.abs(arm.state().joint_positions - HOME).max() < 0.01

    arm.recover()
    arm.set_target(HOME + 0.2, 1.0)
    world.advance(0.5)
    assert arm.state().joint_positions[0] > 0.05


def test_after_a_hold_the_next_target_moves_it(arm: Arm, world: World):
    arm.set_target(HOME + 0.2, 0.0)
    world.advance(0.2)
    arm.hold()
    arm.set_target(HOME + 0.2, 0.0)
    world.advance(1.0)

    assert arm.state().joint_positions[0] > 0.12


def test_it_comes_home(arm: Arm, world: World):
    arm.set_target(HOME + 0.3, 1.0)
    world.advance(0.5)
    arm.home()

    assert np.abs(arm.state().joint_positions - HOME).max() < 0.04


def test_a_world_whose_thread_ended_is_a_lost_arm(plain_scene: Scene):
    clock = FakeClock()
    world = World(plain_scene, clock=clock)
    arm = SimulatedArm(world)
    world.start()
    world.close()

    with pytest.raises(ArmLost, match="ended"):
        arm.state()


def test_a_world_that_a_busy_machine_keeps_waiting_stands_still_and_is_no_lost_arm(plain_scene: Scene):
    clock, waiting, go_on = FakeClock(), threading.Event(), threading.Event()

    def wait(_: float) -> None:
        waiting.set()
        go_on.wait(60)

    clock.on_wait = wait
    world = World(plain_scene, clock=clock)
    arm = SimulatedArm(world)
    world.start()
    try:
        assert waiting.wait(60)
        clock.now_s += 2.0
        assert clock.now() - arm.state().measured_at_s == pytest.approx(MAX_LAG_S)
        clock.now_s += HUNG_AFTER_S
        with pytest.raises(ArmLost, match="stood still for 7"):
            arm.state()
    finally:
        go_on.set()
        world.close()


def test_a_world_that_lost_its_balance_is_a_lost_arm():
    scene = build_scene(plain=True)
    world = World(scene, clock=FakeClock())
    scene.model.opt.gravity[2] = np.nan
    world.advance(0.1)

    with pytest.raises(ArmLost, match="unstable"):
        SimulatedArm(world).state()
