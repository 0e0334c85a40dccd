"""The arm against a library that behaves as franky 2.0 was found to."""

# Errors are named as the library names them.
# ruff: noqa: N818

import sys
import threading
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from robot.arms import franka
from robot.arms.franka import FrankaArm, connect_franka, load_franky
from robot.faults import ArmLost, NotInstalled
from robot.gripper.gripper_thread import GripperThread
from robot.safety import HOME, LIMITS
from robot_fakes import FakeClock

BOUND_S = 60.0


class ControlException(Exception):
    pass


class NetworkException(Exception):
    pass


class IncompatibleVersionException(Exception):
    pass


class Limit:
    """Takes nothing above what it believes to be the most."""

    def __init__(self, maximum: list[float]) -> None:
        self.max = np.array(maximum)
        self.value = self.max

    def set(self, value: Any) -> None:
        if (np.asarray(value) > self.max).any():
            raise RuntimeError("above the maximum")
        self.value = np.asarray(value)


class FakeRobot:
    """Panda's limits on an FR3, as in 2.0.0; motions run until another one takes over."""

    def __init__(self, host: str = "fr3", realtime_config: Any = None) -> None:
        self.host = host
        self.model_urdf = '<robot name="FR3">'
        self.joint_velocity_limit = Limit([2.175] * 4 + [2.61] * 3)
        self.joint_acceleration_limit = Limit([15, 7.5, 10, 12.5, 15, 20, 20])
        self.joint_jerk_limit = Limit([7500, 3750, 5000, 6250, 7500, 10000, 10000])
        self.positions = HOME.copy()
        self.time_ms = 0
        self.in_control = False
        self.failure: Exception | None = None
        self.errors = False
        self.recoverable = True
        self.moves: list[Any] = []
        self.joined = 0

    @property
    def current_joint_state(self) -> Any:
        return SimpleNamespace(position=self.positions, velocity=np.zeros(7))

    @property
    def current_joint_positions(self) -> Any:
        return self.positions

    @property
    def state(self) -> Any:
        return SimpleNamespace(time=SimpleNamespace(to_msec=lambda: self.time_ms))

    @property
    def is_in_control(self) -> bool:
        return self.in_control

    @property
    def has_errors(self) -> bool:
        return self.errors

    def set_collision_behavior(self, torque: float, force: float) -> None:
        self.collision = (torque, force)

    def move(self, motion: Any, asynchronous: bool = False) -> None:
        self.moves.append(motion)
        self.in_control = asynchronous and not motion.kind.endswith("Stop")

    def poll_motion(self) -> bool:
        if self.failure:
            raise self.failure
        return True

    def join_motion(self, timeout: float | None = None) -> bool:
        self.joined += 1
        if self.failure:
            failure, self.failure = self.failure, None
            raise failure
        return True

    def recover_from_errors(self) -> bool:
        if self.recoverable:
            self.errors = False
        return self.recoverable


class FakeTracker:
    def __init__(self, robot: FakeRobot, **gains: Any) -> None:
        self.gains = gains
        self.targets: list[np.ndarray] = []
        robot.tracker = self  # type: ignore[attr-defined]
        robot.move(SimpleNamespace(kind="tracking"), asynchronous=True)

    def set_target(self, q: np.ndarray) -> None:
        if not np.isfinite(q).all():
            raise ValueError("not finite")
        self.targets.append(q)


def motion(kind: str) -> Any:
    def make(target: Any = None, **options: Any) -> Any:
        if target is not None and not all(type(value) is float for value in target):
            raise TypeError("a list of floats")
        return SimpleNamespace(kind=kind, target=target, options=options)

    return make


@pytest.fixture
def library() -> Any:
    return SimpleNamespace(
        ControlException=ControlException,
        NetworkException=NetworkException,
        IncompatibleVersionException=IncompatibleVersionException,
        RealtimeConfig=SimpleNamespace(Enforce="enforce", Ignore="ignore"),
        Robot=FakeRobot,
        JointImpedanceTracker=FakeTracker,
        JointMotion=motion("JointMotion"),
        TorqueStopMotion=motion("TorqueStop"),
        JointStopMotion=motion("JointStop"),
    )


class Fingers:
    def __init__(self) -> None:
        self.position = 0.0

    def read(self) -> float:
        return self.position

    def go(self, position: float) -> None:
        self.position = position

    def close(self) -> None:
        pass


@pytest.fixture
def robot() -> FakeRobot:
    return FakeRobot()


@pytest.fixture
def arm(library: Any, robot: FakeRobot, clock: FakeClock) -> Any:
    arm = FrankaArm(library, robot, GripperThread(Fingers()), clock)
    yield arm
    robot.failure = None
    arm.close()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


def test_an_fr3_is_recognised_and_its_limits_are_set_to_the_lower_of_both_tables(arm: FrankaArm, robot: FakeRobot):
    assert arm.model == "fr3"
    np.testing.assert_array_equal(robot.joint_acceleration_limit.value, [10, 7.5, 10, 10, 10, 10, 10])
    assert robot.joint_jerk_limit.value.max() == 5000
    assert robot.collision == (40.0, 40.0)


def test_the_first_target_starts_droids_controller_and_the_next_ones_are_set(arm: FrankaArm, robot: FakeRobot):
    arm.set_target(HOME.astype(np.float32), 0.0)
    arm.set_target(HOME + 0.01, 1.0)

    tracker = robot.tracker  # type: ignore[attr-defined]
    assert len(robot.moves) == 1
    assert len(tracker.targets) == 2
    assert tracker.targets[0].dtype == np.float64
    assert tracker.gains["cartesian_stiffness"].tolist() == [400, 400, 400, 15, 15, 15]
    np.testing.assert_array_equal(tracker.gains["lower_joint_limits"], LIMITS["fr3"].position_min)


def test_planned_motions_take_a_list_of_plain_floats(library: Any, robot: FakeRobot, clock: FakeClock):
    arm = FrankaArm(library, robot, GripperThread(Fingers()), clock, following="joint_motion")

    arm.set_target(HOME, 0.0)
    arm.set_target(HOME + 0.01, 0.0)
    arm.stop()

    assert [made.kind for made in robot.moves] == ["JointMotion", "JointMotion", "JointStop"]
    arm.close()


def test_a_motion_that_failed_is_found_at_the_next_target(arm: FrankaArm, robot: FakeRobot):
    arm.set_target(HOME, 0.0)
    robot.failure = NetworkException("libfranka: UDP receive: Timeout")

    with pytest.raises(ArmLost, match="UDP receive") as caught:
        arm.set_target(HOME, 0.0)

    assert "FCI" in caught.value.hint


def test_a_motion_that_ended_without_a_word_is_found_too(arm: FrankaArm, robot: FakeRobot):
    arm.set_target(HOME, 0.0)
    robot.in_control = False

    with pytest.raises(ArmLost, match="ended unexpectedly"):
        arm.set_target(HOME, 0.0)


def test_when_the_robots_own_time_stands_still_its_state_grows_old(arm: FrankaArm, robot: FakeRobot, clock: FakeClock):
    robot.time_ms = 5
    clock.now_s += 1
    assert arm.state().measured_at_s == clock.now_s

    clock.now_s += 1

    assert arm.state().measured_at_s == clock.now_s - 1


def test_after_a_stop_no_target_is_taken_until_it_is_recovered(arm: FrankaArm, robot: FakeRobot):
    arm.set_target(HOME, 0.0)
    arm.stop()
    arm.set_target(HOME + 0.1, 0.0)
    assert [made.kind for made in robot.moves] == ["tracking", "TorqueStop"]

    arm.recover()
    arm.set_target(HOME, 0.0)

    assert robot.joined == 1
    assert [made.kind for made in robot.moves] == ["tracking", "TorqueStop", "tracking"]


def test_what_a_stopped_motion_says_is_no_fault(arm: FrankaArm, robot: FakeRobot):
    arm.set_target(HOME, 0.0)
    arm.stop()
    robot.failure = ControlException("libfranka: Move command preempted!")

    arm.recover()


def test_a_reflex_is_recovered_from_and_a_pressed_user_stop_is_not(arm: FrankaArm, robot: FakeRobot):
    robot.failure, robot.errors = ControlException('motion aborted by reflex! ["joint_velocity_violation"]'), True
    arm.recover()
    assert not robot.errors

    robot.errors, robot.recoverable = True, False
    with pytest.raises(ArmLost, match="could not be cleared") as caught:
        arm.recover()
    assert "user stop" in caught.value.hint


def test_holding_sets_the_target_to_where_the_arm_is(arm: FrankaArm, robot: FakeRobot):
    arm.hold()
    assert robot.moves == []
    arm.set_target(HOME + 0.1, 0.0)

    arm.hold()

    np.testing.assert_array_equal(robot.tracker.targets[-1], HOME)  # type: ignore[attr-defined]


def test_home_is_slow(arm: FrankaArm, robot: FakeRobot):
    arm.home()

    assert robot.moves[-1].target == HOME.tolist()
    assert robot.moves[-1].options["relative_dynamics_factor"] == 0.15


def test_a_library_of_the_same_name_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "franky", SimpleNamespace(__file__="/elsewhere/franky.py"))  # type: ignore[arg-type]

    with pytest.raises(NotInstalled, match="JointImpedanceTracker") as caught:
        load_franky()

    assert "franky-control" in caught.value.hint


def test_without_the_library_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "franky", None)  # type: ignore[arg-type]

    with pytest.raises(NotInstalled, match="franky-control"):
        connect_franka("192.168.0.1")


def test_a_robot_that_refuses_or_hangs_is_said_in_words(library: Any, monkeypatch: pytest.MonkeyPatch):
    release = threading.Event()

    def refuse(host: str, realtime_config: Any) -> None:
        if host == "old":
            raise IncompatibleVersionException("server version 5, library version 10")
        release.wait(BOUND_S)

    library.Robot = refuse
    monkeypatch.setattr(franka, "CONNECT_TIMEOUT_S", BOUND_S)

    with pytest.raises(ArmLost, match="server version 5") as caught:
        connect_franka("old", library=library)
    assert "README" in caught.value.hint
    monkeypatch.setattr(franka, "CONNECT_TIMEOUT_S", 0.2)
    with pytest.raises(ArmLost, match="did not answer"):
        connect_franka("hangs", library=library)
    release.set()


def test_a_robot_that_answers_is_connected(library: Any):
    assert connect_franka("fr3", library=library)[1].host == "fr3"
