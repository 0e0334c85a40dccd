"""A station on a recorded arm and a small server, in real time."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from robot.clock import MonotonicClock
from robot.commands import parse_command
from robot.settings import RobotSettings
from robot.station import Station
from robot.station.hardware import connect_hardware
from robot.station.self_test import Check
from robot_episodes import recorded
from robot_servers import policy_server, stay_here, until
from studio.errors import Conflict, StudioError


@pytest.fixture
def checks() -> list[Check]:
    return []


@pytest.fixture
def station(tmp_path: Path, checks: list[Check]) -> Iterator[Station]:
    with policy_server(stay_here) as (url, _):
        settings = RobotSettings(arm="replay", recordings=recorded(tmp_path / "recordings", 8), policy=url)
        clock = MonotonicClock()
        station = Station(settings, connect_hardware(settings, clock), clock, on_check=checks.append)
        until(lambda: station.has_policy)
        yield station
        station.close()


def order(station: Station, command: str, **fields: Any) -> Any:
    return station.order(parse_command({"command": command, **fields}))


def ready(station: Station) -> None:
    order(station, "self_test")
    until(lambda: station.view.state == "ready" and not station.busy)


def test_nothing_starts_before_the_self_test_passed(station: Station, checks: list[Check]):
    with pytest.raises(Conflict, match="idle"):
        order(station, "start", run={"prompt": "stay"})

    ready(station)

    assert [check.outcome for check in checks] == ["passed"]


def test_a_run_is_started_stopped_resumed_and_finished(station: Station):
    ready(station)
    order(station, "start", run={"prompt": "stay"})
    until(lambda: station.view.state == "running")

    order(station, "stop")
    assert station.view.state == "stopped"
    order(station, "resume")
    until(lambda: station.view.state == "running")
    order(station, "instruct", prompt="stay longer")
    until(lambda: station.view.state == "running")
    assert station.view.run is not None
    assert station.view.run.prompt == "stay longer"
    order(station, "hold")
    order(station, "finish")

    assert station.view.state == "ready"
    assert station.meter.summary().num_played > 0


def test_a_stopped_robot_is_recovered_to_ready(station: Station):
    ready(station)
    order(station, "start", run={"prompt": "stay"})
    order(station, "stop")

    with pytest.raises(Conflict, match="stopped"):
        order(station, "home")
    order(station, "recover")
    until(lambda: station.view.state == "ready")


def test_while_a_run_is_on_nothing_else_is_begun(station: Station):
    ready(station)
    order(station, "start", run={"prompt": "stay"})

    for command in ("self_test", "home", "recover"):
        with pytest.raises(Conflict):
            order(station, command)
    with pytest.raises(Conflict, match="simulated"):
        order(station, "reset_scene", seed=1)


def test_runs_are_recorded_listed_marked_and_replayed(station: Station):
    ready(station)
    order(station, "start", run={"prompt": "stay", "record": True})
    until(lambda: station.meter.summary().num_played >= 10)
    order(station, "finish")
    listed = until(lambda: found if len((found := order(station, "episodes"))["episodes"]) == 2 else None)
    assert listed["episodes"][1]["task"] == "stay"
    assert listed["num_judged"] == 0

    order(station, "mark", episode=1, success=True)
    assert order(station, "episodes")["num_successes"] == 1
    with pytest.raises(StudioError, match="no episode 9"):
        order(station, "mark", episode=9, success=True)

    order(station, "start", run={"mode": "replay", "episode": 1, "speed": 1.0})
    until(lambda: station.view.state == "ready")
    assert station.recording_words == ""


class ParkedScene:
    """A simulated scene that only remembers whether its time goes on."""

    seed = 0
    is_parked = False

    def reset(self, seed: int) -> None:
        self.seed = seed

    def park(self) -> None:
        self.is_parked = True

    def wake(self) -> None:
        self.is_parked = False


def test_a_simulated_scene_is_parked_while_nobody_looks_and_nothing_is_done(tmp_path: Path):
    scene = ParkedScene()
    with policy_server(stay_here) as (url, _):
        settings = RobotSettings(arm="replay", recordings=recorded(tmp_path / "recordings", 8), policy=url)
        clock = MonotonicClock()
        station = Station(settings, replace(connect_hardware(settings, clock), scene=scene), clock)
        until(lambda: station.has_policy and scene.is_parked)
        station.watch(True)
        until(lambda: not scene.is_parked)
        station.watch(False)
        until(lambda: scene.is_parked)
        ready(station)
        order(station, "start", run={"prompt": "stay"})
        until(lambda: station.view.state == "running" and not scene.is_parked)
        order(station, "stop")
        until(lambda: scene.is_parked)
        station.close()
