import numpy as np

from robot.safety import ClampRate

NONE = np.zeros(7, np.bool_)
ALL = np.ones(7, np.bool_)


def test_a_tenth_of_the_joint_targets_is_allowed_and_one_more_is_not():
    rate = ClampRate()
    for _ in range(3):
        rate.add(ALL)
    assert rate.rate == 0.1
    assert not rate.exceeded

    rate.add(np.arange(7) == 0)

    assert rate.exceeded


def test_what_is_older_than_two_seconds_does_not_count():
    rate = ClampRate()
    for _ in range(4):
        rate.add(ALL)
    for _ in range(30):
        rate.add(NONE)

    assert rate.rate == 0


def test_a_new_epoch_begins_with_nothing():
    rate = ClampRate()
    for _ in range(30):
        rate.add(ALL)

    rate.clear()

    assert not rate.exceeded
