import numpy as np
import pytest

from pocket.world.errands import finish, judge
from pocket.world.happenings import happenings
from pocket.world.run import STEADY, Run, perform
from pocket.world.skills import Errand
from pocket.world.sounding import Ear, hear
from pocket.world.viewpoint import Viewpoint
from robot.objects import ObjectPose
from robot.simulation.arrangement import HALF_SIZES, Placed
from robot.simulation.physics import Physics
from robot.simulation.scene import MASSES_KG, ThingKind, furnish, load_arm

SHAPES = ("cube", "cylinder", "ball")
PLACES = ((0.48, 0.0), (0.56, 0.18), (0.52, -0.18))
COLOURS = ("red", "green", "blue")
KINDS = tuple(ThingKind(shape, HALF_SIZES[shape], MASSES_KG[shape]) for shape in SHAPES)
PLACED = tuple(
    Placed(colour, shape, np.array(place), 0.2, HALF_SIZES[shape])
    for colour, shape, place in zip(COLOURS, SHAPES, PLACES, strict=True)
)


def _performed(errand: Errand, *, measures_steps: bool = True) -> tuple[Run, tuple[ObjectPose, ...]]:
    physics = Physics(furnish(load_arm(plain=True), KINDS), placed=PLACED)
    before = physics.object_poses()
    run = perform(
        physics,
        errand,
        np.random.default_rng(0),
        is_done=finish(errand, before),
        linger_s=0.5,
        limit_s=7.0,
        disturbance=STEADY,
        measures_steps=measures_steps,
    )
    assert run is not None
    return run, before


@pytest.mark.parametrize(
    ("errand", "outcome", "kinds"),
    [
        (Errand("pick", 2), "succeeded", ["reach", "grasp", "lift"]),
        (Errand("stack", 1, 0), "succeeded", ["reach", "grasp", "lift", "stack"]),
        (Errand("push", 0, direction=np.array([0.0, 1.0]), push_m=0.1), "succeeded", ["push"]),
        (Errand("pick", 0, beside_m=np.array([0.0, -0.09])), "missed", ["miss"]),
        (Errand("pick", 1, drops=True), "dropped", ["grasp", "lift", "drop"]),
    ],
    ids=["pick", "stack", "push", "miss", "drop"],
)
def test_an_errand_goes_as_it_is_meant_to_and_leaves_its_events(errand: Errand, outcome: str, kinds: list[str]):
    run, before = _performed(errand)
    events = happenings(run, KINDS)

    assert judge(run, before, events) == outcome
    told = [event.kind for event in events if event.things[:1] == (errand.thing,)]
    at = [told.index(kind) for kind in kinds]
    assert at == sorted(at)


def test_what_was_let_fall_is_heard_when_it_lands_and_not_before():
    run, _ = _performed(Errand("pick", 0, drops=True))
    events = happenings(run, KINDS)
    drop = next(event for event in events if event.kind == "drop")
    struck = [event for event in events if event.kind == "impact"]
    landing = next(event for event in struck if event.start_s >= drop.end_s - 0.02)
    ear = Ear(Viewpoint(np.array([0.5, 0.0, 0.05]), 0.8, np.pi, -0.7))
    start_s, length = landing.start_s - 0.2, 19_200
    sound = hear(run, PLACED, ("metal",) * 3, [landing], ear, start_s, length, np.random.default_rng(0))

    assert abs(landing.start_s - drop.end_s) < 0.02
    loud = np.abs(sound.astype(np.float64)).mean(axis=0)
    before, after = loud[:9_500].max(), loud[9_600:10_600].max()
    assert after > 3 * before
    onset_s = start_s + int(np.argmax(loud > before * 1.5)) / 48_000
    assert abs(onset_s - landing.start_s) < 0.003


def test_a_thing_on_the_left_of_the_picture_is_louder_on_the_left():
    ear = Ear(Viewpoint(np.array([0.5, 0.0, 0.05]), 0.8, np.pi, -0.7))

    left, right = ear.gains(np.array([0.5, -0.2, 0.02]))

    assert left > 1.3 * right


def test_without_measuring_every_step_the_arm_does_the_same():
    measured, unmeasured = (_performed(Errand("pick", 0), measures_steps=measures)[0] for measures in (True, False))
    assert np.array_equal(measured.expert, unmeasured.expert)
    assert np.array_equal(measured.poses, unmeasured.poses)
    assert len(measured.joint_speeds) > 1000
    assert (len(unmeasured.joint_speeds), len(unmeasured.things), len(unmeasured.touches.steps)) == (0, 0, 0)
