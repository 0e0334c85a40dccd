import sys
from pathlib import Path

import pytest

from robot.arms import franka
from robot.clock import MonotonicClock
from robot.faults import ArmLost, NotInstalled
from robot.settings import RobotSettings
from robot.station.hardware import connect_hardware
from robot_episodes import recorded
from studio.errors import BadInput, EpisodeNotFound


def test_a_recording_is_an_arm_and_three_cameras(tmp_path: Path):
    hardware = connect_hardware(RobotSettings(arm="replay", recordings=recorded(tmp_path, 5)), MonotonicClock())

    assert hardware.arm.model == "panda"
    assert hardware.cameras.views().wrist.shape == (360, 640, 3)
    assert not hardware.can_self_test
    hardware.close()


def test_a_recording_that_is_not_there_is_said(tmp_path: Path):
    with pytest.raises(EpisodeNotFound):
        connect_hardware(RobotSettings(arm="replay", recordings=tmp_path), MonotonicClock())


def test_a_franka_needs_its_address_and_its_cameras():
    with pytest.raises(BadInput, match="--host"):
        connect_hardware(RobotSettings(arm="franka"), MonotonicClock())
    with pytest.raises(BadInput, match="--exterior-1"):
        connect_hardware(RobotSettings(arm="franka", host="x", wrist="0"), MonotonicClock())


def test_a_franka_without_its_library_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "franky", None)  # type: ignore[arg-type]
    settings = RobotSettings(arm="franka", host="x", wrist="0", exterior_1="1", exterior_2="2")

    with pytest.raises(NotInstalled, match="franky-control"):
        connect_hardware(settings, MonotonicClock())


def test_a_franka_that_does_not_answer_is_said(monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object) -> None:
        raise ArmLost("It does not answer.")

    monkeypatch.setattr("robot.station.hardware.connect_franka", refuse)
    settings = RobotSettings(arm="franka", host="x", wrist="0", exterior_1="1", exterior_2="2")

    with pytest.raises(ArmLost):
        connect_hardware(settings, MonotonicClock())
    assert franka.CONNECT_TIMEOUT_S > 0
