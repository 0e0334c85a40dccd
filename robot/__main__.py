"""`python -m robot`: the program beside the arm. With --server it waits for people; with --prompt it runs alone."""

from __future__ import annotations

import gc
import json
import logging
import signal
import sys
import threading
from collections.abc import Sequence

from robot.bridge import Bridge, messages
from robot.clock import Clock, MonotonicClock
from robot.commands import Finish, RunSelfTest, Start
from robot.foresight import ForeseenClip
from robot.process import SWITCH_INTERVAL_S, raise_priority
from robot.settings import RobotSettings, read_settings
from robot.station import Station
from robot.station.hardware import connect_hardware
from robot.station.self_test import Check
from robot.tick_report import TickReport
from studio.errors import BadInput, StudioError
from studio.logs import configure_logs

POLL_S = 0.2
READY_TIMEOUT_S = 30.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run until told to end; 2 when it cannot start, with one line that says why."""
    configure_logs(logging.ERROR)
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    raise_priority()
    try:
        settings = read_settings(sys.argv[1:] if arguments is None else arguments)
        if not settings.server and not settings.prompt and settings.mode != "replay":
            raise BadInput(
                "Neither a server nor an instruction is set.",
                hint="Set --server to control it from the page, or --prompt to run an instruction.",
            )
        _run(settings, MonotonicClock())
    except StudioError as error:
        sys.stderr.write(f"orrery robot: {error}\n")
        return 2
    return 0


def _run(settings: RobotSettings, clock: Clock) -> None:
    until = threading.Event()

    def end(*_: object) -> None:
        until.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    hardware = connect_hardware(settings, clock)
    model = hardware.arm.model
    bridge: Bridge | None = None
    if settings.server:
        token = settings.token.get_secret_value()
        bridge = Bridge(
            settings.bridge_url,
            token,
            clock,
            lambda: messages.hello(settings.name, settings.arm, model, settings.policy_url),
            settings.recordings,
        )
    try:
        station = Station(
            settings,
            hardware,
            clock,
            listeners=[bridge.on_tick] if bridge else [_say_events],
            on_check=bridge.on_check if bridge else _say_check,
            on_clip=bridge.on_clip if bridge else _ignore_clip,
            needs_page=bridge is not None,
        )
    except StudioError:
        hardware.close()
        raise
    # What is there now stays: looking through all of it for garbage stops the loop for half a tick.
    gc.freeze()
    try:
        if bridge:
            bridge.run(station, until)
        else:
            _run_alone(settings, station, clock, until)
    finally:
        station.close()
        if not bridge:
            _say({"type": "summary", **station.meter.summary().to_json()})


def _run_alone(settings: RobotSettings, station: Station, clock: Clock, until: threading.Event) -> None:
    deadline_s = clock.now() + READY_TIMEOUT_S
    if settings.mode != "replay":  # which needs no policy
        while not until.is_set() and not station.has_policy and clock.now() < deadline_s:
            clock.wait_until(clock.now() + POLL_S, until)
    station.order(RunSelfTest())
    while not until.is_set() and station.busy:
        clock.wait_until(clock.now() + POLL_S, until)
    if station.view.state != "ready":
        raise BadInput("The self-test did not pass.", hint="Confirm the checks that need a person with --confirmed.")
    station.order(Start(run=settings.run))
    ends_at_s = clock.now() + settings.seconds if settings.seconds is not None else float("inf")
    while not until.is_set() and station.engaged and clock.now() < ends_at_s:
        clock.wait_until(clock.now() + POLL_S, until)
    if station.engaged:
        station.order(Finish())


def _say_events(report: TickReport) -> None:
    for event in report.events:
        _say(messages.event(event))


def _ignore_clip(_: ForeseenClip) -> None:
    """Nobody looks at it."""


def _say_check(check: Check) -> None:
    _say(messages.check(check))


def _say(message: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
