"""The bridge dials a small server that stands where Orrery's does."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from websockets.sync.server import ServerConnection

from robot.bridge import Bridge, messages
from robot.bridge.bridge import MAX_WAITING
from robot.clock import MonotonicClock
from robot.loop import DeadMan
from robot.loop.loop import DEAD_MAN_TIMEOUT_S
from robot.settings import RobotSettings
from robot.station import Station
from robot.station.hardware import connect_hardware
from robot.station.self_test import Check
from robot.tick_report import Event
from robot_episodes import recorded
from robot_fakes import Reply, Rig, stay
from robot_servers import BOUND_S, policy_server, until
from studio.wire.frames import unpack_frame


class Page:
    """Keeps what came; `order` waits for its answer."""

    def __init__(self) -> None:
        self.sockets: list[ServerConnection] = []
        self.messages: list[dict[str, Any]] = []
        self.pictures: list[tuple[str, bytes]] = []
        self.numbers = iter(range(1000))

    def handle(self, socket: ServerConnection) -> None:
        self.sockets.append(socket)
        for frame in socket:
            if isinstance(frame, bytes):
                self.pictures.append(unpack_frame(frame))
            else:
                self.messages.append(json.loads(frame))

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [message for message in list(self.messages) if message["type"] == kind]

    def say(self, message: Any) -> None:
        self.sockets[-1].send(message if isinstance(message, str | bytes) else json.dumps(message))

    def order(self, command: str, **fields: Any) -> dict[str, Any]:
        number = next(self.numbers)
        self.say({"id": number, "command": command, **fields})
        return until(lambda: next((found for found in self.of("answer") if found["id"] == number), None))


@contextmanager
def bridged(folder: Path, page: Page, token: str = "") -> Iterator[Station]:
    settings = RobotSettings(arm="replay", recordings=recorded(folder, 8))
    clock = MonotonicClock()
    hardware = connect_hardware(settings, clock)
    with policy_server(page.handle, path="/v1/robots/bridge", token=token) as (url, _):
        bridge = Bridge(url, token, clock, lambda: messages.hello("left", "replay", "panda", ""), settings.recordings)
        station = Station(
            settings, hardware, clock, listeners=[bridge.on_tick], on_check=bridge.on_check, needs_page=True
        )
        ended = threading.Event()
        thread = threading.Thread(target=bridge.run, args=(station, ended))
        thread.start()
        try:
            until(lambda: page.of("session"))
            yield station
        finally:
            ended.set()
            thread.join(BOUND_S)
            station.close()


@pytest.fixture
def page() -> Page:
    return Page()


@pytest.fixture(autouse=True)
def dead_man(monkeypatch: pytest.MonkeyPatch) -> DeadMan:
    """The station's own; it bears with a heart that a busy machine lets beat late."""
    patient = DeadMan(required=True, timeout_s=BOUND_S)
    monkeypatch.setattr("robot.station.station.DeadMan", lambda required: patient)
    return patient


def ready(station: Station, page: Page) -> None:
    """It passed its self-test, and nothing is being done any more."""
    assert page.order("self_test")["error"] is None
    until(lambda: station.view.state == "ready" and not station.busy)


def test_it_says_who_it_is_how_it_stands_and_every_tick(tmp_path: Path, page: Page):
    with bridged(tmp_path, page, token="right"):
        until(lambda: len(page.of("tick")) > 10 and page.of("summary"))
        until(lambda: page.of("summary")[-1]["rate_hz"] > 0)

    hello, session = page.messages[:2]
    assert (hello["type"], hello["name"], hello["model"]) == ("hello", "left", "panda")
    assert len(hello["limits"]["soft_max"]) == 7
    assert (session["type"], session["state"]) == ("session", "idle")
    # Fifteen are due in a second. A busy machine is late for some and misses others, which are left out of the count.
    due_s = {tick["tick"]: tick["at_s"] - 1e-3 * tick["lateness_ms"] for tick in page.of("tick")}
    first, last = min(due_s), max(due_s)
    assert (last - first) / (due_s[last] - due_s[first]) == pytest.approx(15, abs=0.01)
    tick = page.of("tick")[-1]
    assert len(tick["joints"]) == 7
    assert tick["executed"] is None
    assert page.pictures == []


def test_the_canvas_comes_when_it_is_wanted(tmp_path: Path, page: Page):
    with bridged(tmp_path, page):
        page.say({"want": ["canvas"]})
        until(lambda: len(page.pictures) > 3)

    topic, jpeg = page.pictures[-1]
    assert topic == "canvas"
    assert cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR).shape == (540, 640, 3)  # type: ignore


def test_orders_are_carried_out_and_answered(tmp_path: Path, page: Page):
    with bridged(tmp_path, page) as station:
        ready(station, page)
        assert page.order("heartbeat")["error"] is None
        assert page.order("start", run={"mode": "replay", "episode": 0, "speed": 0.1})["error"] is None
        until(lambda: page.of("session")[-1]["state"] == "running")
        assert page.order("stop")["error"] is None
        until(lambda: page.of("session")[-1]["stop"] == "button")
        assert page.order("episodes")["value"]["episodes"][0]["num_frames"] == 8

    assert [check["outcome"] for check in page.of("check")] == ["passed"]


def test_where_the_server_is_slow_ticks_give_way_before_findings_and_events(tmp_path: Path):
    bridge = Bridge("", "", MonotonicClock(), dict, tmp_path)
    bridge._connected = True  # type: ignore
    rig = Rig(lambda _: Reply(0.0, stay()))
    rig.start()
    until(lambda: rig.tick().answered)
    answered, plain = replace(rig.reports[-1], events=()), rig.tick()
    fault = replace(plain, events=(Event(0.0, "fault", "The arm stopped."),))
    check = Check("arm", "passed", "At rest.")
    bridge.on_check(check)
    bridge.on_tick(answered)
    bridge.on_tick(fault)
    for _ in range(2 * MAX_WAITING):
        bridge.on_tick(plain)
    assert list(bridge._waiting) == [check, answered, fault] + [plain] * (MAX_WAITING - 3)  # type: ignore
    for _ in range(2 * MAX_WAITING):
        bridge.on_tick(answered)
    assert list(bridge._waiting) == [check, fault] + [answered] * (MAX_WAITING - 2)  # type: ignore


def test_what_cannot_be_done_is_answered_with_the_reason(tmp_path: Path, page: Page):
    with bridged(tmp_path, page):
        assert page.order("hold")["error"]["code"] == "conflict"
        assert page.order("explode")["error"]["code"] == "bad_input"
        for nonsense in ("{", "[]", b"\x00", json.dumps({"id": [1], "command": None})):
            before = len(page.of("answer"))
            page.say(nonsense)
            found = until(lambda before=before: page.of("answer")[before:])
            assert found[0]["error"]["code"] == "bad_input"


def test_a_page_that_falls_silent_stops_the_run_and_the_operator_reads_why(
    tmp_path: Path, page: Page, dead_man: DeadMan
):
    with bridged(tmp_path, page) as station:
        ready(station, page)
        page.order("heartbeat")
        assert page.order("start", run={"mode": "replay", "episode": 0, "speed": 0.1})["error"] is None

        dead_man._timeout_s = DEAD_MAN_TIMEOUT_S  # type: ignore
        until(lambda: station.view.state == "stopped")
        until(lambda: page.of("event") and page.of("event")[-1]["code"] == "dead_man")

    assert "heartbeat" in page.of("event")[-1]["words"]


def test_a_lost_server_is_dialled_again_and_told_everything_anew(tmp_path: Path, page: Page):
    with bridged(tmp_path, page):
        page.sockets[-1].close()

        until(lambda: len(page.of("hello")) == 2)
