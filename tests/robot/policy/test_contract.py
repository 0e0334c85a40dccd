import pytest

from robot.faults import PolicyRefused
from robot.policy.contract import check_contract

OURS = {
    "action_space": "joint_position",
    "action_units": "rad",
    "gripper_open": 0.0,
    "gripper_closed": 1.0,
    "rows_per_second": 15,
}


def test_what_our_servers_declare_is_accepted():
    check_contract(OURS, "undeclared")


def test_a_server_that_says_nothing_is_refused_until_a_person_declares_it():
    with pytest.raises(PolicyRefused, match="does not say") as caught:
        check_contract({}, "undeclared")

    assert "--declare joint_position" in caught.value.hint
    check_contract({}, "joint_position")


@pytest.mark.parametrize(
    "change",
    [
        {"action_space": "joint_velocity"},
        {"action_space": "cartesian_position"},
        {"action_space": 3},
        {"action_units": "deg"},
        {"gripper_open": 1.0},
        {"gripper_closed": 0.0},
        {"rows_per_second": 50},
    ],
)
def test_actions_that_mean_something_else_are_refused_whatever_a_person_declares(change: dict[str, object]):
    with pytest.raises(PolicyRefused):
        check_contract(OURS | change, "joint_position")
