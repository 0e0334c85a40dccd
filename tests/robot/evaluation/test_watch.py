"""What the world says of a run: reached, grasped, lifted, and the wrong object."""

from dataclasses import replace

import numpy as np
import pytest

from robot.evaluation.watch import HELD_TICKS, LIFTED_M, Watch
from robot.objects import ObjectPose
from robot.safety import HOME
from studio.panda.kinematics import locate_hand

HAND = locate_hand(HOME)[0]
LOW = np.array([0.0, 0.0, 0.05])
FAR = np.array([0.3, 0.0, 0.0])


def thing(at: np.ndarray) -> ObjectPose:
    return ObjectPose("red", "cube", at, np.array([1.0, 0, 0, 0]), np.full(3, 0.022))


def raised(pose: ObjectPose, by_m: float) -> ObjectPose:
    return replace(pose, position=pose.position + np.array([0, 0, by_m]))


@pytest.fixture
def table() -> tuple[ObjectPose, ObjectPose]:
    """The named object below the hand, so that it is at the hand once it is lifted, and another one elsewhere."""
    return thing(HAND - LOW), thing(HAND - LOW + FAR)


def test_an_object_held_in_the_air_for_some_ticks_is_lifted(table: tuple[ObjectPose, ObjectPose]):
    named, other = table
    watch = Watch(table, 0)
    for tick in range(HELD_TICKS):
        assert not watch.lifted, tick
        watch.look((raised(named, 0.05), other), HOME)

    assert (watch.reached, watch.grasped, watch.lifted, watch.wrong_lifted) == (True, True, True, False)


def test_an_object_in_the_air_elsewhere_is_not_lifted_and_a_drop_begins_again(table: tuple[ObjectPose, ObjectPose]):
    named, other = table
    watch = Watch(table, 0)
    thrown = replace(named, position=named.position + FAR + LOW)
    for _ in range(HELD_TICKS - 1):
        watch.look((raised(named, 0.05), other), HOME)
    watch.look((thrown, other), HOME)
    watch.look((raised(named, 0.05), other), HOME)

    assert not watch.lifted
    assert watch.grasped


def test_the_wrong_object_is_noticed(table: tuple[ObjectPose, ObjectPose]):
    named, other = table
    watch = Watch(table, 0)
    watch.look((named, raised(other, LIFTED_M + 0.01)), HOME)

    assert watch.wrong_lifted
    assert not watch.reached
