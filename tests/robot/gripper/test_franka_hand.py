import pytest

from robot.faults import ArmLost
from robot.gripper.franka_hand import FrankaHand


class Hand:
    max_width = 0.08

    def __init__(self) -> None:
        self.width = 0.08
        self.calls: list[str] = []
        self.lost = False

    def move(self, width: float, speed: float) -> bool:
        if self.lost:
            raise RuntimeError("network")
        self.calls.append("move")
        self.width = width
        return True

    def grasp(self, width: float, speed: float, force: float, inner: float, outer: float) -> bool:
        self.calls.append("grasp")
        self.width = 0.03
        return True


def test_widths_are_said_as_closedness_and_closing_is_a_grasp():
    hand = Hand()
    fingers = FrankaHand(hand, (RuntimeError,))

    assert fingers.read() == 0
    fingers.go(0.25)
    assert fingers.read() == pytest.approx(0.25)
    fingers.go(1.0)
    assert fingers.read() == pytest.approx(0.625)
    assert hand.calls == ["move", "grasp"]


def test_a_lost_hand_is_said_in_words():
    hand = Hand()
    hand.lost = True

    with pytest.raises(ArmLost, match="network"):
        FrankaHand(hand, (RuntimeError,)).go(0.0)
