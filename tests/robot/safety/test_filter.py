import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from robot.faults import StopReason
from robot.safety import HOME, LIMITS, ArmModel, check_rows, filter_target, velocity_limits
from robot.safety.filter import MAX_LEAD_RAD, STOP_LEAD_RAD
from robot_fakes import arm_state, row_at

FR3 = LIMITS["fr3"]
TINY = 1e-9

ANYTHING = arrays(np.float64, 8, elements=st.floats(allow_nan=True, allow_infinity=True, width=64))
NEARBY = arrays(np.float64, 8, elements=st.floats(-0.7, 0.7))
SHARES = arrays(np.float64, 7, elements=st.floats(0, 1))


def moved(joint: int, by: float) -> np.ndarray:
    position = HOME.copy()
    position[joint] += by
    return position


def test_a_modest_target_passes_unchanged():
    wanted = row_at(moved(0, 0.1), gripper=0.7)

    executed = filter_target(wanted, row_at(), arm_state(), FR3)

    np.testing.assert_array_equal(executed.row, wanted)
    assert executed.stop is None
    assert not executed.clamps.joints.any()


def test_a_step_beyond_the_velocity_limit_is_clamped_to_it():
    executed = filter_target(row_at(moved(0, 0.25)), row_at(), arm_state(), FR3)

    assert executed.row[0] == pytest.approx(2.62 / 15)
    assert executed.clamps.step.tolist() == [True] + [False] * 6


def test_a_target_too_far_ahead_of_the_arm_is_clamped_and_one_much_too_far_stops():
    last = row_at(moved(0, 0.28))

    clamped = filter_target(row_at(moved(0, 0.4)), last, arm_state(), FR3)
    stopped = filter_target(row_at(moved(0, 0.61)), last, arm_state(), FR3)

    assert clamped.row[0] == pytest.approx(MAX_LEAD_RAD)
    assert clamped.clamps.lead[0]
    assert stopped.stop is StopReason.TOO_FAR
    np.testing.assert_array_equal(stopped.row, last)


def test_a_target_beyond_a_soft_limit_is_clamped_to_it():
    state = arm_state(moved(6, FR3.soft_max[6] - 0.1))

    executed = filter_target(row_at(moved(6, FR3.soft_max[6] + 0.1)), row_at(state.joint_positions), state, FR3)

    assert executed.row[6] == pytest.approx(FR3.soft_max[6])
    assert executed.clamps.soft[6]


def test_an_arm_outside_its_soft_limits_may_only_come_back():
    outside = moved(0, FR3.soft_max[0] + 0.1)

    further = filter_target(row_at(moved(0, FR3.soft_max[0] + 0.2)), row_at(outside), arm_state(outside), FR3)

    assert FR3.soft_max[0] <= further.row[0] < outside[0]


def test_a_target_that_the_arm_does_not_follow_comes_back_towards_it():
    last = row_at(moved(0, 0.5))

    executed = filter_target(row_at(moved(0, 0.5)), last, arm_state(), FR3)

    assert 0.3 < executed.row[0] < 0.5
    assert executed.stop is None


def test_a_target_that_was_left_far_behind_the_arm_stops():
    executed = filter_target(row_at(), row_at(moved(0, 0.9)), arm_state(), FR3)

    assert executed.stop is StopReason.TOO_FAR


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("column", [0, 7])
def test_what_is_not_finite_stops(value: float, column: int):
    wanted = row_at()
    wanted[column] = value

    assert filter_target(wanted, row_at(), arm_state(), FR3).stop is StopReason.NOT_FINITE


@pytest.mark.parametrize("wanted", [np.zeros(7), np.zeros(9), np.zeros((1, 8)), np.array(0.0)])
def test_a_row_of_another_width_stops(wanted: np.ndarray):
    assert filter_target(wanted, row_at(), arm_state(), FR3).stop is StopReason.WRONG_WIDTH


def test_an_arm_beyond_its_own_limits_stops():
    beyond = arm_state(moved(3, 3.0))
    fast = arm_state(velocities=np.array([2.7, 0, 0, 0, 0, 0, 0]))
    blind = arm_state(moved(0, np.nan))

    assert filter_target(row_at(), row_at(), beyond, FR3).stop is StopReason.BEYOND_POSITION
    assert filter_target(row_at(), row_at(), fast, FR3).stop is StopReason.BEYOND_VELOCITY
    assert filter_target(row_at(), row_at(), blind, FR3).stop is StopReason.BEYOND_POSITION


def test_the_gripper_stays_between_open_and_closed():
    assert filter_target(row_at(gripper=1.7), row_at(), arm_state(), FR3).row[7] == 1.0
    assert filter_target(row_at(gripper=-0.2), row_at(), arm_state(), FR3).row[7] == 0.0


@pytest.mark.parametrize("shape", [(0, 8), (3, 7), (8,), (1, 3, 8)])
def test_a_chunk_of_another_shape_may_not_be_played(shape: tuple[int, ...]):
    assert check_rows(np.zeros(shape)) is StopReason.WRONG_WIDTH


def test_a_chunk_with_one_number_that_is_not_finite_may_not_be_played():
    rows = np.zeros((32, 8))
    assert check_rows(rows) is None
    rows[31, 7] = np.nan
    assert check_rows(rows) is StopReason.NOT_FINITE


@settings(deadline=None)
@given(st.sampled_from(list(LIMITS)), ANYTHING | NEARBY, NEARBY, SHARES)
def test_whatever_comes_no_limit_is_broken(model: ArmModel, wanted: np.ndarray, offset: np.ndarray, shares: np.ndarray):
    limits = LIMITS[model]
    measured = limits.position_min + shares * (limits.position_max - limits.position_min)
    last = np.clip(measured + offset[:7], limits.position_min, limits.position_max)
    wanted = np.append(measured + wanted[:7], wanted[7])

    executed = filter_target(wanted, np.append(last, 0.0), arm_state(measured), limits)

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
    for position in (last, row, measured):
        down, up = velocity_limits(limits, position)
        assert (row - last <= up / 15 + TINY).all()
        assert (last - row <= down / 15 + TINY).all()
