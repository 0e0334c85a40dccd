import threading

import pytest

from robot.faults import ArmLost
from robot.gripper import close_or_open
from robot.gripper.gripper_thread import GripperThread
from robot_servers import until

BOUND_S = 60.0


class SlowFingers:
    """Move only when they are let."""

    def __init__(self) -> None:
        self.let = threading.Event()
        self.went: list[float] = []
        self.at = 0.0
        self.lost = False
        self.num_failing = 0
        self.closed = False

    def read(self) -> float:
        if self.num_failing:
            self.num_failing -= 1
            raise ArmLost("The fingers were gone for once.")
        if self.lost:
            raise ArmLost("The fingers are gone.")
        return self.at

    def go(self, position: float) -> None:
        self.went.append(position)
        assert self.let.wait(BOUND_S)
        self.at = position

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def fingers() -> SlowFingers:
    return SlowFingers()


def test_only_the_newest_wish_is_carried_out(fingers: SlowFingers):
    gripper = GripperThread(fingers)
    gripper.move(1.0)
    until(lambda: fingers.went)
    for wish in (0.2, 0.5, 0.7):
        gripper.move(wish)
    fingers.let.set()

    until(lambda: gripper.position() == 0.7)
    gripper.close()

    assert fingers.went == [1.0, 0.7]
    assert fingers.closed


def test_a_wish_that_comes_while_one_is_taken_is_not_lost(fingers: SlowFingers):
    class Overtaken(GripperThread):
        """Told of another target at the moment in which its thread takes one."""

        taken: float | None = None
        overtakes = True

        @property
        def _target(self) -> float | None:
            found = self.taken
            if found is not None and self.overtakes:
                self.overtakes = False
                other = threading.Thread(target=self.move, args=(0.0,))
                other.start()
                other.join(0.1)  # it waits for its turn
            return found

        @_target.setter
        def _target(self, target: float | None) -> None:
            self.taken = target

    fingers.let.set()
    gripper = Overtaken(fingers)
    gripper.move(1.0)
    until(lambda: fingers.went == [1.0, 0.0])
    gripper.close()


def test_the_same_wish_is_told_once(fingers: SlowFingers):
    fingers.let.set()
    gripper = GripperThread(fingers)
    for _ in range(20):
        gripper.move(1.0)
    until(lambda: gripper.position() == 1.0)
    gripper.move(0.99)
    gripper.move(0.0)
    until(lambda: gripper.position() == 0.0)
    gripper.close()

    assert fingers.went == [1.0, 0.0]


def test_a_gripper_that_is_gone_is_said_until_it_is_recovered(fingers: SlowFingers):
    fingers.let.set()
    gripper = GripperThread(fingers)
    fingers.lost = True

    def lost() -> bool:
        try:
            gripper.position()
        except ArmLost:
            return True
        return False

    until(lost)
    fingers.lost = False
    gripper.recover()
    gripper.move(1.0)
    until(lambda: gripper.position() == 1.0)
    gripper.close()


def test_what_failed_on_the_way_when_it_was_recovered_counts_no_more(fingers: SlowFingers):
    gripper = GripperThread(fingers)
    gripper.move(1.0)
    until(lambda: fingers.went)
    fingers.num_failing = 1
    gripper.recover()
    fingers.let.set()
    until(lambda: not fingers.num_failing)

    gripper.move(0.0)
    until(lambda: fingers.went == [1.0, 0.0])
    until(lambda: gripper.position() == 0.0)
    gripper.close()


def test_how_the_policys_number_is_understood():
    assert [close_or_open(value, 0, "binary") for value in (0.0, 0.5, 0.51, 1.0)] == [0, 0, 1, 1]
    assert close_or_open(0.55, 0, "hysteresis") == 0
    assert close_or_open(0.55, 1, "hysteresis") == 1
    assert close_or_open(0.61, 0, "hysteresis") == 1
    assert close_or_open(0.39, 1, "hysteresis") == 0
    assert close_or_open(0.55, 0, "continuous") == 0.55
    assert close_or_open(1.2, 0, "continuous") == 1
