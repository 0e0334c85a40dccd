import numpy as np

from robot.simulation.arm_parts import JOINT_STIFFNESS, MAX_TORQUES, hybrid_torques

STILL = np.zeros(7)
NO_HAND = np.zeros((6, 7))


def test_at_its_target_and_at_rest_only_the_weight_is_carried():
    bias = np.arange(7.0)

    assert hybrid_torques(np.ones((6, 7)), STILL, STILL, bias).tolist() == bias.tolist()


def test_a_joint_is_pulled_by_its_own_spring():
    torques = hybrid_torques(NO_HAND, np.full(7, 0.1), STILL, STILL)

    np.testing.assert_allclose(torques, 0.1 * JOINT_STIFFNESS)


def test_the_hand_is_pulled_by_400_newton_a_metre():
    jacobian = NO_HAND.copy()
    jacobian[0, 0] = 0.5

    torques = hybrid_torques(jacobian, np.array([0.1, 0, 0, 0, 0, 0, 0]), STILL, STILL)

    # 0.5 m of lever: 0.05 m of error at the hand, 20 N, 10 N·m; and the joint's own 40 N·m/rad.
    np.testing.assert_allclose(torques[0], 10.0 + 4.0)


def test_motion_is_damped_and_no_motor_is_asked_for_more_than_it_has():
    assert hybrid_torques(NO_HAND, STILL, np.ones(7), STILL).max() < 0
    assert hybrid_torques(NO_HAND, np.full(7, 100.0), STILL, STILL).tolist() == MAX_TORQUES.tolist()
