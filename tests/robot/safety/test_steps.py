import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robot.safety import HOME, LIMITS, ArmModel, largest_step, velocity_limits
from robot.safety.steps import braking_step, largest_change

FR3 = LIMITS["fr3"]
PERIOD_S = 1 / 15
SHARES = st.lists(st.floats(0, 1), min_size=7, max_size=7)


def test_a_panda_is_as_fast_everywhere():
    down, up = velocity_limits(LIMITS["panda"], LIMITS["panda"].position_max)

    np.testing.assert_array_equal(up, LIMITS["panda"].velocity)
    np.testing.assert_array_equal(down, LIMITS["panda"].velocity)


def test_an_fr3_slows_down_towards_its_end_and_not_away_from_it():
    near_the_top = HOME.copy()
    near_the_top[0] = 2.6

    down, up = velocity_limits(FR3, near_the_top)

    assert up[0] == pytest.approx(-0.6599 + np.sqrt(2 * 6.0 * (2.9007 - 2.6)))
    assert down[0] == 2.62


def test_at_its_very_end_an_fr3_only_moves_back():
    down, up = largest_step(FR3, FR3.position_max, PERIOD_S)

    np.testing.assert_array_equal(up, 0)
    assert (down > 0).all()


def test_the_worked_example_of_the_longest_step():
    position = HOME.copy()
    position[0] = 2.6

    assert velocity_limits(FR3, position)[1][0] * PERIOD_S == pytest.approx(0.0826, abs=1e-4)
    assert largest_step(FR3, position, PERIOD_S)[1][0] == pytest.approx(0.0675, abs=1e-4)


@settings(deadline=None)
@given(SHARES)
def test_the_velocity_of_the_longest_step_is_allowed_at_both_of_its_ends(shares: list[float]):
    start = FR3.position_min + np.array(shares) * (FR3.position_max - FR3.position_min)
    down, up = largest_step(FR3, start, PERIOD_S)

    for step, direction in ((down, 0), (up, 1)):
        end = start + (step if direction else -step)
        for position in (start, end):
            assert (step <= velocity_limits(FR3, position)[direction] * PERIOD_S + 1e-9).all()


@pytest.mark.parametrize(("distance", "step"), [(0.0, 0.0), (0.8, 0.8), (1.0, 1.0), (2.0, 1.5), (3.0, 2.0), (6.0, 3.0)])
def test_the_steps_of_a_way_to_rest_grow_by_one_change_each(distance: float, step: float):
    assert braking_step(np.array([distance, -distance]), np.ones(2)) == pytest.approx([step, -step])


@given(st.floats(0, 3), st.floats(0.01, 0.2))
@settings(deadline=None)
def test_after_it_rest_is_reached_within_the_distance(distance: float, change: float):
    step = left = float(braking_step(np.array([distance]), np.array([change]))[0])
    went = 0.0
    while left > 0:
        went, left = went + left, left - change

    assert went == pytest.approx(distance)
    assert step <= distance + 1e-9


@pytest.mark.parametrize("model", LIMITS)
def test_whoever_keeps_to_the_acceleration_keeps_to_the_jerk(model: ArmModel):
    limits = LIMITS[model]

    assert largest_change(limits, 1 / 15) == pytest.approx(limits.acceleration / 225)
    assert (2 * limits.acceleration * 15 <= limits.jerk).all()
