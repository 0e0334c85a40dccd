"""Policies that misbehave, behind real websockets: a whole station drives a fake arm for them, and a page looks on."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from websockets.sync.server import ServerConnection

from robot.bridge import Bridge, messages
from robot.chunk import LASTS_S, MAX_ROWS
from robot.clock import MonotonicClock
from robot.commands import parse_command
from robot.faults import StopReason
from robot.observation import ROWS_PER_SECOND
from robot.playing.player import STOP_AFTER_S
from robot.settings import RobotSettings
from robot.station import Station
from robot.station.hardware import connect_hardware
from robot.tick_report import TickReport
from robot_episodes import recorded
from robot_servers import BOUND_S, OURS, answer, policy_server, receive, until


class Stage:
    """What the page was told and what the loop did."""

    def __init__(
        self, station: Station, thread: threading.Thread, told: list[dict[str, Any]], reports: list[TickReport]
    ):
        self.station, self.thread, self.told, self.reports = station, thread, told, reports

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [message for message in list(self.told) if message["type"] == kind]

    def start(self, **run: Any) -> None:
        self.station.order(parse_command({"command": "self_test"}))
        until(lambda: self.station.view.state == "ready" and not self.station.busy)
        self.station.order(parse_command({"command": "start", "run": {"prompt": "go", **run}}))


@contextmanager
def staged(folder: Path, policy: Callable[[ServerConnection], None]) -> Iterator[Stage]:
    told: list[dict[str, Any]] = []
    reports: list[TickReport] = []

    def listen(socket: ServerConnection) -> None:
        for frame in socket:
            told.append(json.loads(frame))  # noqa: PERF401 - as it comes

    clock = MonotonicClock()
    with policy_server(policy) as (url, _), policy_server(listen, path="/v1/robots/bridge") as (page, _):
        settings = RobotSettings(arm="replay", recordings=recorded(folder, 8), policy=url)
        bridge = Bridge(page, "", clock, lambda: messages.hello("left", "replay", "panda", url), settings.recordings)
        hardware = connect_hardware(settings, clock)
        station = Station(settings, hardware, clock, listeners=[reports.append, bridge.on_tick])
        ended = threading.Event()
        thread = threading.Thread(target=bridge.run, args=(station, ended))
        thread.start()
        try:
            until(lambda: station.has_policy)
            yield Stage(station, thread, told, reports)
        finally:
            ended.set()
            thread.join(BOUND_S)
            station.close()


def here(asked: dict[str, Any], num_rows: int) -> np.ndarray:
    row = np.append(asked["observation/joint_position"], asked["observation/gripper_position"])
    return np.tile(row.astype(np.float32), (num_rows, 1))


def hangs_after_one(num_rows: int) -> Callable[[ServerConnection], None]:
    """One answer, ever; then it takes questions, and connections, and says nothing more."""
    answers = iter([num_rows])

    def handle(socket: ServerConnection) -> None:
        answer(socket, OURS)
        while True:
            asked = receive(socket)
            if (rows := next(answers, None)) is not None:
                answer(socket, {"action": here(asked, rows)})

    return handle


def test_a_policy_that_sends_3000_rows_and_hangs_moves_a_slow_arm_for_two_seconds_and_stops(tmp_path: Path):
    with staged(tmp_path, hangs_after_one(3000)) as stage:
        stage.start(mode="rehearsal", speed=0.1)
        until(lambda: stage.station.view.stop is not None)
        reports = list(stage.reports)

    answered_s = next(report.answered.received_at_s for report in reports if report.answered is not None)
    played_s = [report.tick.began_s for report in reports if report.wanted is not None]
    assert stage.station.view.stop is StopReason.STALE
    assert played_s[-1] - answered_s <= LASTS_S
    going_s = [report.tick.began_s for report in reports if report.session.stop is None]
    assert going_s[-1] - played_s[-1] <= STOP_AFTER_S + 2 / ROWS_PER_SECOND
    assert {len(message["rows"]) for message in stage.of("chunk")} == {MAX_ROWS}


def test_times_that_are_none_are_dropped_and_the_program_goes_on(tmp_path: Path):
    times = iter([float("nan"), float("inf"), -1.0, "soon"] * 99)

    def handle(socket: ServerConnection) -> None:
        answer(socket, OURS)
        while True:
            asked = receive(socket)
            answer(socket, {"action": here(asked, 32), "server_timing": {"infer_ms": next(times)}})

    with staged(tmp_path, handle) as stage:
        stage.start(mode="live", horizon=1)
        until(lambda: len(stage.of("chunk")) >= 6)
        assert stage.thread.is_alive()

    assert {message["inference_s"] for message in stage.of("chunk")[:4]} == {None}


def test_a_million_rows_are_not_read_and_the_link_to_the_page_holds(tmp_path: Path):
    def handle(socket: ServerConnection) -> None:
        answer(socket, OURS)
        while True:
            answer(socket, {"action": here(receive(socket), 1_000_000)})

    with staged(tmp_path, handle) as stage:
        stage.start(mode="live")
        lost = until(lambda: [event["words"] for event in stage.of("event") if event["code"] == "policy_lost"])
        until(lambda: stage.of("session")[-1]["stop"] is not None)

    assert "1009" in lost[0]
    assert "\n" not in lost[0]
    assert len(stage.of("hello")) == 1
    assert stage.of("session")[-1]["stop"] == "stale"
    assert not stage.of("chunk")
