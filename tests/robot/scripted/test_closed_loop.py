"""The scripted policy moves the simulated arm: chunks that come late, the safety filter, faster than real time."""

from collections.abc import Callable

import numpy as np
import pytest

from robot.arms.simulated import SimulatedArm
from robot.clock import Tick
from robot.commands import Instruct, Ready, Run, Start
from robot.loop import DeadMan, Loop, Sensors
from robot.objects import ObjectPose
from robot.observation import Observation
from robot.safety import LIMITS, Course
from robot.safety.filter import filter_target
from robot.scripted.policy import plan
from robot.simulation.scene import Scene
from robot.simulation.world import World
from robot.tick_report import TickReport
from robot_fakes import PERIOD_S, FakeCameras, FakeClock, FakePolicy, Reply

LIFTED_M = 0.1


def play(world: World, prompt: str, seconds: float, horizon: int = 16, late_ticks: int = 0) -> int:
    """Ask every ``horizon`` ticks, play what comes ``late_ticks`` later from the row it is late by.

    Returns:
        How many joint targets the safety filter had to change, but for their acceleration.
    """
    course = Course.at_rest(np.append(world.state().joint_positions, 0.0))
    chunk, chunk_tick, coming, num_clamped = None, 0, None, 0
    for tick in range(round(seconds * 15)):
        state = world.state()
        if tick % horizon == 0:
            rows = plan(state.joint_positions, state.gripper_position, prompt, world.object_poses())
            coming = (tick, rows)
        if coming is not None and tick >= coming[0] + late_ticks:
            (chunk_tick, chunk), coming = coming, None
        wanted = course.last if chunk is None else chunk[min(tick - chunk_tick, len(chunk) - 1)]
        executed = filter_target(wanted, course, state, LIMITS["panda"])
        assert executed.stop is None
        num_clamped += int(executed.clamps.misfits.sum())
        course = course.then(wanted, executed.row)
        world.aim(executed.row[:7], float(executed.row[7]))
        world.advance(PERIOD_S)
    return num_clamped


def find(world: World, name: str) -> ObjectPose:
    return next(thing for thing in world.object_poses() if thing.name == name)


def lifted(world: World, before: tuple[ObjectPose, ...]) -> list[str]:
    """The names of what is in the air."""
    return [
        thing.name
        for thing, was in zip(world.object_poses(), before, strict=True)
        if thing.position[2] > was.position[2] + LIFTED_M
    ]


@pytest.mark.parametrize("seed", range(6))
def test_the_named_thing_is_lifted_and_held_and_no_other(mesh_scene: Scene, seed: int):
    world = World(mesh_scene, seed=seed, clock=FakeClock())
    before = world.object_poses()
    name = before[seed % len(before)].name

    num_clamped = play(world, f"pick up the {name}", seconds=6)

    assert lifted(world, before) == [name]
    assert num_clamped <= 10, "of 630: it catches up with a chunk that begins abruptly at full speed"


@pytest.mark.parametrize(("horizon", "late_ticks"), [(1, 0), (8, 3), (16, 6), (32, 0)])
def test_any_horizon_and_late_answers_do(plain_scene: Scene, horizon: int, late_ticks: int):
    world = World(plain_scene, seed=11, clock=FakeClock())
    before = world.object_poses()

    play(world, "pick up the red cube", seconds=7, horizon=horizon, late_ticks=late_ticks)

    assert lifted(world, before) == ["red cube"]


def test_a_thing_is_put_into_the_bowl_and_let_go(plain_scene: Scene):
    world = World(plain_scene, seed=2, clock=FakeClock())

    play(world, "put the red cube in the bowl", seconds=10)

    cube, bowl = find(world, "red cube"), next(thing for thing in world.object_poses() if thing.shape == "bowl")
    assert np.hypot(*(cube.position - bowl.position)[:2]) < 0.03
    assert world.state().gripper_position < 0.1


def test_a_thing_is_stacked_on_another(plain_scene: Scene):
    world = World(plain_scene, seed=2, clock=FakeClock())
    other = next(thing for thing in world.object_poses()[1:] if thing.shape == "cube")

    play(world, f"stack the red cube on the {other.name}", seconds=10)

    assert find(world, "red cube").position[2] == pytest.approx(0.066, abs=0.003)


def test_a_thing_that_was_moved_meanwhile_is_found_again(plain_scene: Scene):
    world = World(plain_scene, seed=3, clock=FakeClock())
    play(world, "pick up the red cube", seconds=1)
    world.reset(4)
    before = world.object_poses()

    play(world, "pick up the red cube", seconds=6)

    assert lifted(world, before) == ["red cube"]


def _loop(world: World, clock: FakeClock, reports: list[TickReport]) -> Loop:
    def answer(observation: Observation) -> Reply:
        state = observation.state
        rows = plan(state.joint_positions, state.gripper_position, observation.prompt, observation.objects)
        return Reply(after_s=0.25, rows=rows)

    arm = SimulatedArm(world)
    sensors = Sensors(arm, FakeCameras(clock), clock, objects=world.object_poses)
    dead_man = DeadMan(required=False)
    return Loop(arm, sensors, FakePolicy(clock, answer), clock, dead_man=dead_man, listeners=[reports.append])


def _ticking(loop: Loop, world: World, clock: FakeClock) -> Callable[[int], None]:
    number = iter(range(1_000_000))

    def tick(num_ticks: int) -> None:
        for _ in range(num_ticks):
            clock.now_s += PERIOD_S
            world.catch_up()
            loop.run_tick(Tick(next(number), clock.now_s, clock.now_s))

    return tick


def test_the_whole_loop_lifts_one_thing_and_then_puts_it_away(mesh_scene: Scene):
    clock = FakeClock()
    world = World(mesh_scene, seed=5, clock=clock)
    before = world.object_poses()
    reports: list[TickReport] = []
    loop = _loop(world, clock, reports)
    tick = _ticking(loop, world, clock)

    loop.tell(Ready())
    tick(1)
    loop.tell(Start(run=Run(prompt="pick up the red cube")))
    tick(90)
    in_the_air = lifted(world, before)
    loop.tell(Instruct(prompt="put the red cube in the bowl"))
    tick(120)

    assert in_the_air == ["red cube"]
    cube, bowl = find(world, "red cube"), next(thing for thing in world.object_poses() if thing.shape == "bowl")
    assert np.hypot(*(cube.position - bowl.position)[:2]) < 0.03
    assert loop.view.state == "running"


@pytest.mark.slow
@pytest.mark.parametrize("scene_name", ["mesh_scene", "plain_scene"])
def test_every_thing_of_ten_tables_is_lifted(scene_name: str, request: pytest.FixtureRequest):
    scene: Scene = request.getfixturevalue(scene_name)
    world = World(scene, clock=FakeClock())
    missed: list[tuple[int, str]] = []
    for seed in range(120, 130):
        world.reset(seed)
        for thing in world.object_poses():
            world.reset(seed)
            before = world.object_poses()
            play(world, f"pick up the {thing.name}", seconds=6)
            if lifted(world, before) != [thing.name]:
                missed.append((seed, thing.name))

    assert not missed
