import numpy as np
import pytest

from robot.objects import ObjectPose, pack_objects
from robot.safety import HOME, LIMITS
from robot.scripted.instruction import Refusal
from robot.scripted.policy import NUM_ROWS, plan
from robot.simulation.arrangement import HALF_SIZES, arrange
from studio.panda.kinematics import locate_hand


def table(seed: int) -> tuple[ObjectPose, ...]:
    """The things of a seed, where they lie when nobody touched them."""
    return tuple(
        ObjectPose(
            placed.colour,
            placed.shape,
            np.array([*placed.place, HALF_SIZES[placed.shape][2]]),
            np.array([np.cos(placed.turn / 2), 0.0, 0.0, np.sin(placed.turn / 2)]),
            np.array(HALF_SIZES[placed.shape]),
        )
        for placed in arrange(seed)
    )


def test_it_answers_32_rows_of_eight():
    rows = plan(HOME, 0.0, "pick up the red cube", table(0))

    assert rows.shape == (NUM_ROWS, 8)
    assert np.isfinite(rows).all()


def test_the_same_question_has_the_same_answer_and_asks_nothing_of_its_inputs():
    things, joints = table(1), HOME.copy()
    before = repr(pack_objects(things))

    first = plan(joints, 0.0, "pick up the red cube", things)
    again = plan(joints, 0.0, "pick up the red cube", things)

    assert first.tolist() == again.tolist()
    assert repr(pack_objects(things)) == before
    assert joints.tolist() == HOME.tolist()


def test_it_goes_to_the_thing_that_is_named():
    things = table(2)
    for thing in things:
        rows = plan(HOME, 0.0, f"pick up the {thing.name}", things)
        hand, _, _ = locate_hand(rows[20, :7])
        beside = float(np.hypot(*(hand[:2] - thing.position[:2])))

        assert beside < (0.08 if thing.shape == "bowl" else 0.02)


@pytest.mark.parametrize("model", ["panda", "fr3"])
@pytest.mark.parametrize("seed", range(4))
def test_no_row_asks_for_more_than_either_arm_may_do(seed: int, model: str):
    limits = LIMITS[model]  # pyright: ignore[reportArgumentType]
    for thing in table(seed):
        rows = plan(HOME, 0.0, f"pick up the {thing.name}", table(seed))
        joints = np.vstack([HOME, rows[:, :7]])

        assert (joints >= limits.soft_min).all()
        assert (joints <= limits.soft_max).all()
        assert (np.abs(np.diff(joints, axis=0)) <= limits.velocity / 15).all()
        assert set(rows[:, 7].tolist()) <= {0.0, 1.0}


def test_a_closed_empty_gripper_opens_before_it_goes_down():
    rows = plan(HOME, 1.0, "pick up the red cube", table(0))

    assert rows[0, 7] == 0.0


def test_it_refuses_what_is_not_there_and_what_it_was_not_told():
    with pytest.raises(Refusal, match="no pink cube"):
        plan(HOME, 0.0, "pick up the pink cube", table(0))
    with pytest.raises(Refusal) as caught:
        plan(HOME, 0.0, "pick up the red cube", ())
    assert caught.value.code == "poses_missing"


def test_a_thing_out_of_reach_still_gives_rows_within_the_limits():
    far = ObjectPose("red", "cube", np.array([2.0, 2.0, 0.02]), np.array([1.0, 0, 0, 0]), np.full(3, 0.02))

    rows = plan(HOME, 0.0, "pick up the red cube", [far])

    assert np.isfinite(rows).all()
    assert (rows[:, :7] >= LIMITS["panda"].soft_min).all()
