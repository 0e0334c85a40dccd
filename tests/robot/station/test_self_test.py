import threading
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from robot.observation import Views
from robot.station.self_test import Check, SelfTest
from robot_fakes import FakeArm, FakeCameras, FakeClock

CONFIRMED = frozenset({"exterior sides", "wrist upright"})


class World(FakeCameras):
    """Cameras whose wrist view sees the fingers."""

    def __init__(self, clock: FakeClock, arm: FakeArm) -> None:
        super().__init__(clock)
        self._arm = arm
        self._noise = np.random.default_rng(0).integers(0, 255, (540, 640, 3), np.uint8)
        self.swapped = False
        self.dark = False

    def views(self) -> Views:
        shift = int(50 * self._arm.gripper)
        wrist = np.roll(self._noise[:360], shift, axis=1)
        still = self._noise[360:, :320]
        moving = np.roll(still, shift, axis=1) if self.swapped else still
        if self.swapped:
            wrist = self._noise[:360]
        return Views(super().views().captured_at_s, wrist, moving, np.zeros_like(still) if self.dark else still)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def arm(clock: FakeClock) -> FakeArm:
    arm = FakeArm(clock)
    clock.on_wait = lambda _: arm.advance()
    return arm


def found(arm: FakeArm, cameras: FakeCameras, clock: FakeClock, confirmed: frozenset[str] = CONFIRMED) -> list[Check]:
    return list(SelfTest(arm, cameras, clock, confirmed=confirmed).run())


def test_an_arm_and_cameras_in_order_pass(arm: FakeArm, clock: FakeClock):
    before = arm.positions.copy()

    checks = found(arm, World(clock, arm), clock)

    assert {check.outcome for check in checks} == {"passed"}
    assert [check.name for check in checks][:4] == ["arm", "cameras", "joints", "gripper"]
    np.testing.assert_allclose(arm.positions, before, atol=0.01)


def test_what_only_a_person_can_see_is_asked(arm: FakeArm, clock: FakeClock):
    checks = found(arm, World(clock, arm), clock, frozenset())

    assert [check.name for check in checks if check.outcome == "ask"] == ["exterior sides", "wrist upright"]


def test_swapped_cameras_are_found(arm: FakeArm, clock: FakeClock):
    cameras = World(clock, arm)
    cameras.swapped = True

    assert found(arm, cameras, clock)[-1].name == "camera order"
    assert found(arm, cameras, clock)[-1].outcome == "failed"


def test_a_covered_camera_is_found(arm: FakeArm, clock: FakeClock):
    cameras = World(clock, arm)
    cameras.dark = True

    assert "exterior 2" in found(arm, cameras, clock)[-1].words


def test_a_frozen_camera_is_found(arm: FakeArm, clock: FakeClock):
    cameras = World(clock, arm)
    cameras.frozen_at_s = clock.now()

    assert "do not change" in found(arm, cameras, clock)[-1].words


def test_a_joint_with_the_wrong_sign_is_found(arm: FakeArm, clock: FakeClock, monkeypatch: pytest.MonkeyPatch):
    told = arm.set_target

    def backwards(positions: NDArray[np.float64], gripper: float) -> None:
        mirrored = positions.copy()
        mirrored[3] = 2 * arm.positions[3] - positions[3]
        told(mirrored, gripper)

    monkeypatch.setattr(arm, "set_target", backwards)
    checks = found(arm, World(clock, arm), clock)

    assert "Joint 4" in checks[-1].words
    assert checks[-1].outcome == "failed"


def test_a_gripper_of_the_other_polarity_is_found(arm: FakeArm, clock: FakeClock, monkeypatch: pytest.MonkeyPatch):
    told = arm.set_target
    monkeypatch.setattr(arm, "set_target", lambda positions, gripper: told(positions, 1 - gripper))

    checks = found(arm, World(clock, arm), clock)

    assert checks[-1].name == "gripper"
    assert checks[-1].outcome == "failed"


def test_an_arm_outside_its_soft_limits_does_not_move(arm: FakeArm, clock: FakeClock):
    arm.positions = arm.positions + np.array([2.8, 0, 0, 0, 0, 0, 0])

    checks = found(arm, World(clock, arm), clock)

    assert "Joint 1 is outside" in checks[-1].words
    assert arm.targets == []


def test_a_lost_arm_ends_the_test(arm: FakeArm, clock: FakeClock):
    arm.lost = True

    assert found(arm, World(clock, arm), clock)[-1].outcome == "failed"


def test_it_can_be_cancelled_while_it_moves(arm: FakeArm, clock: FakeClock):
    cancelled = threading.Event()
    cancelled.set()

    checks = list(SelfTest(arm, World(clock, arm), clock, cancelled=cancelled).run())

    assert "cancelled" in checks[-1].words
    assert checks[-1].outcome == "failed"


def test_it_can_be_cancelled_while_an_earlier_question_is_on_its_way(arm: FakeArm, clock: FakeClock):
    cancelled = threading.Event()

    class Busy(Quick):
        @property
        def busy(self) -> bool:
            cancelled.set()
            return True

    policy: Any = Busy(clock)
    test = SelfTest(arm, World(clock, arm), clock, policy=policy, confirmed=CONFIRMED, cancelled=cancelled)

    assert list(test.run())[-1] == Check("policy", "failed", "The self-test was cancelled.")


class Quick:
    """A policy that answers after 0.4 s, the first time after 9 s."""

    @property
    def busy(self) -> bool:
        return False

    def __init__(self, clock: FakeClock) -> None:
        self._clock, self._takes_s, self._asked = clock, 9.0, False

    def status(self) -> SimpleNamespace:
        return SimpleNamespace(connection="ready", words="")

    def ask(self, *_: object, **__: object) -> None:
        self._clock.wait_until(self._clock.now() + self._takes_s)
        self._takes_s, self._asked = 0.4, True

    def take(self) -> object:
        self._asked, was_asked = False, self._asked
        return object() if was_asked else None


def test_answers_of_the_policy_are_timed_but_for_the_first(arm: FakeArm, clock: FakeClock):
    seconds: list[float] = []
    policy: Any = Quick(clock)
    test = SelfTest(arm, World(clock, arm), clock, policy=policy, confirmed=CONFIRMED, timed=seconds.append)
    *_, last = test.run()
    assert last == Check("policy", "passed", "Answers within 0.40 s (p95): no pauses up to a horizon of 26.")
    assert len(seconds) > 2
    assert seconds == pytest.approx([0.4] * len(seconds))
