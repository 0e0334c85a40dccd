import time

import numpy as np
import pytest

from robot.safety import HOME
from robot.simulation.scene import Scene
from robot.simulation.world import MAX_LAG_S, Snapshot, World
from robot_fakes import FakeClock
from robot_servers import until
from studio.errors import BadInput


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def world(plain_scene: Scene, clock: FakeClock) -> World:
    return World(plain_scene, seed=3, clock=clock)


def test_stepped_by_hand_it_loses_no_part_of_a_step(world: World):
    for _ in range(15):
        world.advance(1 / 15)

    assert world.snapshot().time_s == pytest.approx(1.0)


def test_it_keeps_up_with_the_clock_and_stamps_what_it_says(world: World, clock: FakeClock):
    for _ in range(30):
        clock.now_s += 1 / 15
        world.catch_up()

    assert world.state().measured_at_s == pytest.approx(clock.now(), abs=0.003)
    assert world.snapshot().time_s == pytest.approx(2.0, abs=0.003)


def test_a_world_that_fell_far_behind_lets_the_time_go(world: World, clock: FakeClock):
    clock.now_s += 10
    world.catch_up()

    assert world.snapshot().time_s == pytest.approx(MAX_LAG_S, abs=0.002)
    assert world.state().measured_at_s == pytest.approx(clock.now(), abs=0.003)


def test_the_same_orders_give_the_same_world(plain_scene: Scene):
    ends = []
    for _ in range(2):
        world = World(plain_scene, seed=4, clock=FakeClock())
        for tick in range(10):
            world.aim(HOME + 0.02 * tick, 0.5)
            world.advance(1 / 15)
        ends.append(world.snapshot().qpos.tolist())

    assert ends[0] == ends[1]


def test_it_goes_home_slowly_from_anywhere(world: World):
    world.aim(HOME + 0.3, 1.0)
    world.advance(1.0)
    arrived = world.go_home()

    fastest = 0.0
    for _ in range(60):
        world.advance(1 / 15)
        fastest = max(fastest, float(np.abs(world.state().joint_velocities).max()))

    assert arrived.is_set()
    assert np.abs(world.state().joint_positions - HOME).max() < 0.03
    assert fastest < 1.2
    assert world.state().gripper_position < 0.05


def test_a_target_on_the_way_home_ends_it(world: World):
    world.aim(HOME + 0.3, 0.0)
    world.advance(1.0)
    arrived = world.go_home()
    world.advance(0.1)
    world.aim(HOME + 0.3, 0.0)
    world.advance(3.0)

    assert not arrived.is_set()


def test_at_rest_it_stays_where_it_is_and_holds_what_it_holds(world: World):
    world.aim(HOME + 0.3, 1.0)
    world.advance(0.3)
    world.rest()
    world.advance(0.5)
    where = world.state().joint_positions
    world.advance(0.5)

    assert np.abs(world.state().joint_positions - where).max() < 0.01
    assert np.abs(world.state().joint_positions - HOME).max() > 0.03
    assert world.state().gripper_position > 0.9


def test_on_its_own_thread_it_runs_in_real_time_and_ends(plain_scene: Scene):
    world = World(plain_scene)
    world.start()
    world.aim(HOME + 0.1, 0.0)
    until(lambda: world.state().joint_positions[0] > 0.02)
    world.close()

    assert not world.is_running
    assert world.was_started


def test_a_seed_below_nothing_is_refused_in_words(world: World):
    with pytest.raises(BadInput, match="The seed is -1; expected a whole number, 0 or more"):
        world.reset(-1)

    assert world.seed == 3


def unchanged(world: World, seconds: float) -> Snapshot | None:
    """What it shows, if that has not changed for so long."""
    before = world.snapshot()
    time.sleep(seconds)
    return before if world.snapshot() is before else None


def test_parked_it_stands_still_and_is_never_old_until_the_arm_is_told_to_move(plain_scene: Scene):
    world = World(plain_scene, seed=1)
    world.start()
    try:
        world.park()
        before = until(lambda: unchanged(world, 0.3))
        time.sleep(0.4)
        assert world.snapshot() is before
        assert time.monotonic() - world.state().measured_at_s < 0.25
        until(lambda: world.waiting_s < 0.25)
        began_s = time.monotonic()
        world.aim(HOME, 0.5)
        gone_s = until(lambda: world.snapshot().time_s - before.time_s)
        passed_s = time.monotonic() - began_s
        assert gone_s <= passed_s + MAX_LAG_S + 1e-6, "what passed while it was parked is let go"
    finally:
        world.close()
