import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from robot.faults import StopReason
from robot.safety import HOME, LIMITS, ArmModel, Course, check_rows, filter_target, velocity_limits
from robot.safety.filter import MAX_LEAD_RAD, STOP_LEAD_RAD
from robot_fakes import arm_state, row_at

REST = Course.at_rest(row_at())
FR3 = LIMITS["fr3"]
TINY = 1e-9

ANYTHING = arrays(np.float64, 8, elements=st.floats(allow_nan=True, allow_infinity=True, width=64))
NEARBY = arrays(np.float64, 8, elements=st.floats(-0.7, 0.7))
SHARES = arrays(np.float64, 7, elements=st.floats(0, 1))


def resting_at(positions: np.ndarray) -> Course:
    return Course.at_rest(row_at(positions))


def moving(joint: int, step: float, last: float = 0.0) -> Course:
    """One joint on its way, `last` from home, since its target moves on as fast."""
    rows = [row_at(moved(joint, last - step)), row_at(moved(joint, last))]
    return Course(rows[0], rows[1], rows[1])


def moved(joint: int, by: float) -> np.ndarray:
    position = HOME.copy()
    position[joint] += by
    return position


def test_a_modest_target_passes_unchanged():
    wanted = row_at(moved(0, 0.1), gripper=0.7)

    executed = filter_target(wanted, moving(0, 0.08, last=0.02), arm_state(), FR3)

    np.testing.assert_array_equal(executed.row, wanted)
    assert executed.stop is None
    assert not executed.clamps.joints.any()


def test_a_step_beyond_the_velocity_limit_is_clamped_to_it():
    executed = filter_target(row_at(moved(0, 0.25)), moving(0, 0.15), arm_state(), FR3)

    assert executed.row[0] == pytest.approx(2.62 / 15)
    assert executed.clamps.step.tolist() == [True] + [False] * 6


def test_a_target_too_far_ahead_of_the_arm_is_clamped_and_one_much_too_far_stops():
    last = resting_at(moved(0, 0.28))

    clamped = filter_target(row_at(moved(0, 0.4)), last, arm_state(), FR3)
    stopped = filter_target(row_at(moved(0, 0.61)), last, arm_state(), FR3)

    assert clamped.row[0] == pytest.approx(MAX_LEAD_RAD)
    assert clamped.clamps.lead[0]
    assert stopped.stop is StopReason.TOO_FAR
    np.testing.assert_array_equal(stopped.row, last.last)


def test_a_target_beyond_a_soft_limit_is_clamped_to_it():
    state = arm_state(moved(6, FR3.soft_max[6] - 0.04))

    executed = filter_target(row_at(moved(6, FR3.soft_max[6] + 0.1)), resting_at(state.joint_positions), state, FR3)

    assert executed.row[6] == pytest.approx(FR3.soft_max[6])
    assert executed.clamps.soft[6]


def test_an_arm_outside_its_soft_limits_may_only_come_back():
    outside = moved(0, FR3.soft_max[0] + 0.1)

    further = filter_target(row_at(moved(0, FR3.soft_max[0] + 0.2)), resting_at(outside), arm_state(outside), FR3)

    assert FR3.soft_max[0] <= further.row[0] < outside[0]


def test_a_target_that_the_arm_does_not_follow_comes_back_towards_it():
    last = resting_at(moved(0, 0.5))

    executed = filter_target(row_at(moved(0, 0.5)), last, arm_state(), FR3)

    assert 0.3 < executed.row[0] < 0.5
    assert executed.stop is None


def test_a_target_that_was_left_far_behind_the_arm_stops():
    executed = filter_target(row_at(), Course.at_rest(row_at(moved(0, 0.9))), arm_state(), FR3)

    assert executed.stop is StopReason.TOO_FAR


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("column", [0, 7])
def test_what_is_not_finite_stops(value: float, column: int):
    wanted = row_at()
    wanted[column] = value

    assert filter_target(wanted, REST, arm_state(), FR3).stop is StopReason.NOT_FINITE


@pytest.mark.parametrize("wanted", [np.zeros(7), np.zeros(9), np.zeros((1, 8)), np.array(0.0)])
def test_a_row_of_another_width_stops(wanted: np.ndarray):
    assert filter_target(wanted, REST, arm_state(), FR3).stop is StopReason.WRONG_WIDTH


def test_an_arm_beyond_its_own_limits_stops():
    beyond = arm_state(moved(3, 3.0))
    fast = arm_state(velocities=np.array([2.7, 0, 0, 0, 0, 0, 0]))
    blind = arm_state(moved(0, np.nan))

    assert filter_target(row_at(), REST, beyond, FR3).stop is StopReason.BEYOND_POSITION
    assert filter_target(row_at(), REST, fast, FR3).stop is StopReason.BEYOND_VELOCITY
    assert filter_target(row_at(), REST, blind, FR3).stop is StopReason.BEYOND_POSITION


def test_the_gripper_stays_between_open_and_closed():
    assert filter_target(row_at(gripper=1.7), REST, arm_state(), FR3).row[7] == 1.0
    assert filter_target(row_at(gripper=-0.2), REST, arm_state(), FR3).row[7] == 0.0


@pytest.mark.parametrize("shape", [(0, 8), (3, 7), (8,), (1, 3, 8)])
def test_a_chunk_of_another_shape_may_not_be_played(shape: tuple[int, ...]):
    assert check_rows(np.zeros(shape)) is StopReason.WRONG_WIDTH


def test_a_chunk_with_one_number_that_is_not_finite_may_not_be_played():
    rows = np.zeros((32, 8))
    assert check_rows(rows) is None
    for value in (np.nan, np.inf, 1e308):
        rows[31, 7] = value
        assert check_rows(rows) is StopReason.NOT_FINITE


def test_a_step_that_differs_too_much_from_the_one_before_is_clamped_and_the_target_is_reached_in_several():
    course = REST
    steps: list[float] = []
    for _ in range(10):
        executed = filter_target(row_at(moved(0, 0.25)), course, arm_state(), FR3)
        course = course.then(row_at(moved(0, 0.25)), executed.row)
        steps.append(course.step[0])

    assert steps[0] == pytest.approx(10 / 15**2)
    assert np.abs(np.diff([0.0, *steps])).max() <= 10 / 15**2 + TINY
    assert min(steps) >= -TINY, "it comes to rest at its target and not beyond it"
    assert course.last[0] == pytest.approx(0.25)


def test_a_target_that_always_alternates_moves_the_arm_no_more_than_its_acceleration_allows():
    course = REST
    num_clamped = 0
    accelerations: list[float] = []
    for tick in range(120):
        wanted = row_at(HOME + (0.06 if tick % 2 else -0.06))
        executed = filter_target(wanted, course, arm_state(), FR3)
        num_clamped += executed.clamps.acceleration.all()
        accelerations.append(float(np.abs((executed.row - course.last)[:7] - course.step).max()) * 15**2)
        course = course.then(wanted, executed.row)

    assert num_clamped > 70
    assert max(accelerations) <= 10 + 1e-6
    assert np.abs(course.last[:7] - HOME).max() <= 0.06


TARGETS = st.lists(
    st.tuples(st.integers(1, 20), arrays(np.float64, 7, elements=st.floats(-0.59, 0.59))), min_size=1, max_size=12
)


@settings(deadline=None)
@given(st.sampled_from(list(LIMITS)), SHARES, st.floats(0.1, 1.0), st.sampled_from([1, -1]), TARGETS)
def test_whatever_is_wanted_one_after_the_other_the_arm_can_always_brake_in_time(
    model: ArmModel, shares: np.ndarray, follows: float, sign: int, targets: list[tuple[int, np.ndarray]]
):
    limits = LIMITS[model]
    measured = limits.soft_min + shares * (limits.soft_max - limits.soft_min)
    course = resting_at(measured)
    wants = [(offset if tick % 2 else sign * offset) for num_ticks, offset in targets for tick in range(num_ticks)]
    for offset in wants:
        wanted = row_at(measured + offset)
        executed = filter_target(wanted, course, arm_state(measured), limits)
        if executed.stop is not None:
            return
        row, step = executed.row[:7], executed.row[:7] - course.last[:7]
        assert (np.abs(step - course.step) <= limits.acceleration / 15**2 + TINY).all()
        assert ((row >= limits.soft_min - TINY) & (row <= limits.soft_max + TINY)).all()
        for position in (course.last[:7], row, measured):
            down, up = velocity_limits(limits, position)
            assert ((step <= up / 15 + TINY) & (-step <= down / 15 + TINY)).all()
        course = course.then(wanted, executed.row)
        measured = measured + follows * (row - measured)


@settings(deadline=None)
@given(st.sampled_from(list(LIMITS)), ANYTHING | NEARBY, NEARBY, SHARES)
def test_whatever_comes_no_limit_is_broken(model: ArmModel, wanted: np.ndarray, offset: np.ndarray, shares: np.ndarray):
    limits = LIMITS[model]
    measured = limits.position_min + shares * (limits.position_max - limits.position_min)
    last = np.clip(measured + offset[:7], limits.position_min, limits.position_max)
    wanted = np.append(measured + wanted[:7], wanted[7])

    executed = filter_target(wanted, resting_at(last), arm_state(measured), limits)

    row = executed.row[:7]
    if executed.stop is not None:
        np.testing.assert_array_equal(row, last)
        return
    assert np.isfinite(executed.row).all()
    assert 0 <= executed.row[7] <= 1
    assert (row >= np.minimum(limits.soft_min, last) - TINY).all()
    assert (row <= np.maximum(limits.soft_max, last) + TINY).all()
    lead = np.abs(row - measured)
    no_further = lead <= np.abs(last - measured) + TINY
    assert ((lead <= MAX_LEAD_RAD + TINY) | (no_further & (lead <= STOP_LEAD_RAD + TINY))).all()
    assert (np.abs(row - last) <= limits.acceleration / 15**2 + TINY).all()
    for position in (last, row, measured):
        down, up = velocity_limits(limits, position)
        assert (row - last <= up / 15 + TINY).all()
        assert (last - row <= down / 15 + TINY).all()
