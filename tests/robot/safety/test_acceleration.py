import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robot.safety import LIMITS, ArmModel
from robot.safety.acceleration import braking_step, largest_change


@pytest.mark.parametrize(("distance", "step"), [(0.0, 0.0), (0.8, 0.8), (1.0, 1.0), (2.0, 1.5), (3.0, 2.0), (6.0, 3.0)])
def test_the_steps_of_a_way_to_rest_grow_by_one_change_each(distance: float, step: float):
    assert braking_step(np.array([distance, -distance]), np.ones(2)) == pytest.approx([step, -step])


@given(st.floats(0, 3), st.floats(0.01, 0.2))
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
