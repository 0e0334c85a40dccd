"""The real franky and libfranka against franky-sim, with a referee: what reaches an arm keeps its maker's limits.

No FR3 was asked: franky-sim has its dynamics and its protocol, and enforces nothing, which is why the referee does.
"""

import json
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from websockets.sync.server import ServerConnection

from franka_environment import ROOT, franka_python
from franka_referee import MAX_LOST, PERIOD_S, Drive, judge_drive, judge_targets, longest_silence_s
from machine_watch import while_the_machine_runs
from robot.faults import StopReason
from robot.safety import HOME
from robot_servers import answer, policy_server, receive

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]

START_S = 60.0
STREAM_S = 60.0
PLANNED_S = 20.0
ORDER_S = 20.0
SWING_RAD = 0.2
ATTEMPTS = 3
STALL_S = 1e-3 * MAX_LOST
"""libfranka has no real-time kernel here, and a cloud's cores are lent elsewhere at times: what fails where the machine
stood still longer than a link lives is tried anew. The limits of targets are never excused."""

MAX_SILENCE_S = 3 * PERIOD_S
PAUSE_S = 3.0
"""Without a question; the next one begins another swing."""

AT_REST_RAD_S = 0.05

DECLARED = {
    "action_space": "joint_position",
    "action_units": "rad",
    "gripper_open": 0.0,
    "gripper_closed": 1.0,
    "rows_per_second": 15,
}


class Swaying:
    """A policy whose arm sways about its home by the clock, wider for two seconds, and grips.

    Args:
        width_rad: of the first joint, to each side; the speed in the middle is half as much again, in rad/s.

    Attributes:
        jump_rad: added to every row from the seventh on.
        delay_s: before each answer.
        dies: at the next question.
    """

    def __init__(self, width_rad: float = 0.3) -> None:
        self.width_rad = width_rad
        self.jump_rad = 0.0
        self.delay_s = 0.1
        self.dies = False
        self.began_s = self.asked_s = 0.0
        self.ended = threading.Event()

    def __call__(self, socket: ServerConnection) -> None:
        answer(socket, DECLARED)
        while True:
            receive(socket)
            if self.dies:
                return
            rows = self.rows(time.monotonic())
            self.ended.wait(self.delay_s)
            rows[6:, 1] += self.jump_rad
            answer(socket, {"action": rows.astype(np.float32), "server_timing": {"infer_ms": 1e3 * self.delay_s}})

    def rows(self, now_s: float) -> np.ndarray:
        """float64 [32, 8]."""
        if now_s - self.asked_s > PAUSE_S:
            self.began_s = now_s
        self.asked_s = now_s
        moments_s = now_s - self.began_s + np.arange(1, 33) / 15
        width = self.width_rad * np.clip(moments_s / 2, 0, 1) * np.sin(2 * np.pi * moments_s / 4)
        swing = width[:, None] * np.array([1, 0.5, 1, 0.5, 1, 1, 1])
        grip = (moments_s // 3 % 2)[:, None]
        return np.hstack([HOME + swing, grip])


class Station:
    """The process of franka_station.py; everything that it says is kept."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._changed = threading.Condition()
        self.heard: list[dict[str, Any]] = []
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def order(self, command: str, **fields: Any) -> None:
        """Given, and taken."""
        assert self._process.stdin is not None
        known = len(self.of("answer"))
        self._process.stdin.write(json.dumps({"command": command, **fields}) + "\n")
        self._process.stdin.flush()
        refused = self.until(lambda: self.of("answer")[known:])[0]["error"]
        assert not refused, refused

    def start(self) -> None:
        """Run, from whatever it stands in."""
        if self.state in ("idle", "fault", "stopped"):
            stood = self.state
            self.order("recover" if stood != "idle" else "self_test")
            self.until(lambda: self.state == "ready")
        self.order("start", run={"prompt": "sway", "horizon": 8})
        self.until(lambda: self.state == "running")

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [message for message in self.heard if message["type"] == kind]

    @property
    def state(self) -> str:
        return self.of("session")[-1]["state"]

    @property
    def rung(self) -> str | None:
        return self.of("tick")[-1]["rung"]

    @property
    def stop(self) -> str | None:
        return self.of("session")[-1]["stop"]

    def until(self, look: Callable[[], Any], limit_s: float = ORDER_S) -> Any:
        with self._changed:
            found = self._changed.wait_for(look, limit_s)
        assert found, f"not within {limit_s} s; {self.of('session')[-1:]} {self.of('event')[-5:]}"
        return found

    def for_(self, seconds: float) -> None:
        """Let it run so long, by its own ticks."""
        self.until(lambda: len(self.of("tick")) > 0)
        first = self.of("tick")[-1]["at_s"]
        self.until(lambda: self.heard[-1].get("at_s", 0.0) - first >= seconds, 2 * seconds + ORDER_S)

    def join(self) -> None:
        """Hear it out."""
        self._thread.join(ORDER_S)

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with self._changed:
                self.heard.append(json.loads(line))
                self._changed.notify_all()


@contextmanager
def franka(tmp_path: Path, policy: str, following: str) -> Iterator[tuple[Station, Path]]:
    """A station and an arm, and where the arm's notes lie once both have ended."""
    notes = tmp_path / "notes.npz"
    with _process("franka_simulation.py", str(notes)) as simulation:
        assert simulation.stdout is not None
        host = simulation.stdout.readline().strip()
        arguments = (host, policy, following, str(tmp_path / "recordings"))
        with _process("franka_station.py", *arguments) as process:
            station = Station(process)
            try:
                station.until(lambda: station.of("session"), START_S)
                yield station, notes
            finally:
                assert process.stdin is not None
                process.stdin.close()
                station.join()


@contextmanager
def _process(program: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    tests = ROOT / "tests"
    environment = os.environ | {"PYTHONPATH": f"{ROOT}:{tests}", "PYTHONWARNINGS": "ignore"}
    command = [str(franka_python()), str(tests / program), *arguments]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            yield process
        finally:
            assert process.stdin is not None
            process.stdin.close()
            try:
                process.wait(ORDER_S)
            except subprocess.TimeoutExpired:
                process.kill()


def test_a_minute_of_the_tracker_breaks_no_limit(tmp_path: Path):
    def trial(folder: Path) -> None:
        ticks, drive = stream(folder, "tracker", Swaying(0.3), STREAM_S)
        assert sum(tick["wanted"] is not None for tick in ticks) > 0.95 * 15 * STREAM_S
        assert np.ptp(drive.positions[:, 0]) > SWING_RAD

    while_the_machine_runs(trial, tmp_path, STALL_S, ATTEMPTS)


def test_planned_motions_break_no_limit_either(tmp_path: Path):
    def trial(folder: Path) -> None:
        _, drive = stream(folder, "joint_motion", Swaying(0.15), PLANNED_S)
        assert np.ptp(drive.positions[:, 0]) > SWING_RAD

    while_the_machine_runs(trial, tmp_path, STALL_S, ATTEMPTS)


def stream(folder: Path, following: str, policy: Swaying, seconds: float) -> tuple[list[dict[str, Any]], Drive]:
    """What the arm was told, and what it did."""
    with policy_server(policy) as (url, _), franka(folder, url, following) as (station, notes):
        try:
            station.start()
            station.for_(seconds)
            assert station.state == "running", station.of("event")[-3:]
            station.order("finish")
        finally:
            policy.ended.set()
            ticks = station.of("tick")
            keep_limits(ticks)
    drive = Drive.read(notes)
    assert judge_drive(drive) == []
    assert longest_silence_s(ticks) < MAX_SILENCE_S
    return ticks, drive


def keep_limits(ticks: list[dict[str, Any]]) -> None:
    """Whatever else went wrong."""
    if broken := judge_targets(ticks):
        pytest.fail("; ".join(broken))


def test_faults_end_as_the_ladder_says_and_break_no_limit(tmp_path: Path):
    while_the_machine_runs(fall_down_the_ladder, tmp_path, STALL_S, ATTEMPTS)


def fall_down_the_ladder(folder: Path) -> None:
    policy = Swaying()
    with ExitStack() as server:
        url, _ = server.enter_context(policy_server(policy))
        with franka(folder, url, "tracker") as (station, notes):
            try:
                meet_every_fault(station, policy, server)
            finally:
                policy.ended.set()
                keep_limits(station.of("tick"))
    drive = Drive.read(notes)
    assert judge_drive(drive) == []
    assert np.abs(drive.velocities[-100:]).max() < AT_REST_RAD_S


def meet_every_fault(station: Station, policy: Swaying, server: ExitStack) -> None:
    """A jump, answers that come too late, and a policy that dies."""
    station.start()
    station.for_(3)
    policy.jump_rad = 1.0
    station.until(lambda: station.state == "fault")
    assert station.stop == StopReason.TOO_FAR

    policy.jump_rad = 0.0
    station.start()
    station.for_(3)
    policy.delay_s = 8.0  # longer than an answer counts
    station.until(lambda: station.rung == "rest")
    station.until(lambda: station.state == "stopped")
    assert station.stop == StopReason.STALE

    policy.delay_s = 0.1
    station.until(lambda: station.of("tick")[-1]["policy"] == "ready")
    station.start()
    station.for_(3)
    policy.dies = True
    server.close()
    station.until(lambda: station.rung == "rest")
    assert station.of("session")[-1]["hold"] == "connection"
    station.until(lambda: station.state == "stopped")
    assert station.stop == StopReason.STALE
