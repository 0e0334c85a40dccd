import numpy as np
import pytest

from robot.safety import HOME, LIMITS, ArmModel
from robot.safety.filter import MAX_LEAD_RAD


@pytest.mark.parametrize("model", LIMITS)
def test_soft_limits_lie_inside_the_hard_ones_and_hold_the_start_pose(model: ArmModel):
    limits = LIMITS[model]

    assert (limits.soft_min > limits.position_min).all()
    assert (limits.soft_max < limits.position_max).all()
    assert (limits.soft_min < HOME).all()
    assert (limits.soft_max > HOME).all()


@pytest.mark.parametrize("model", LIMITS)
def test_from_anywhere_the_arm_may_be_some_target_is_within_the_soft_limits_and_near_enough(model: ArmModel):
    limits = LIMITS[model]

    assert (limits.soft_min - limits.position_min < MAX_LEAD_RAD).all()
    assert (limits.position_max - limits.soft_max < MAX_LEAD_RAD).all()


def test_joint_6_of_a_panda_goes_where_that_of_an_fr3_does_not():
    assert LIMITS["panda"].soft_min[5] < 0.1
    assert LIMITS["fr3"].soft_min[5] > 0.5


def test_nobody_can_change_a_limit():
    with pytest.raises(ValueError, match="read-only"):
        LIMITS["fr3"].soft_max[0] = 9.0
    with pytest.raises(ValueError, match="read-only"):
        HOME[0] = 1.0


def test_velocities_are_those_of_the_published_table():
    np.testing.assert_allclose(LIMITS["fr3"].velocity, [2.62, 2.62, 2.62, 2.62, 5.26, 4.18, 5.26])
    np.testing.assert_allclose(LIMITS["panda"].velocity, [2.175] * 4 + [2.61] * 3)
