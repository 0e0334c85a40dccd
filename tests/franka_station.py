"""A station beside a Franka, run by the interpreter that has franky: orders are JSON lines of stdin, what it says of
stdout.

Its cameras are black; the recordings go where it is told.
"""

import json
import logging
import sys
import threading
from pathlib import Path

from robot.arms.franka import FrankaArm, connect_franka, franky_errors
from robot.bridge import messages
from robot.clock import MonotonicClock
from robot.commands import parse_command
from robot.gripper.franka_hand import FrankaHand
from robot.gripper.gripper_thread import GripperThread
from robot.process import SWITCH_INTERVAL_S, raise_priority
from robot.settings import read_settings
from robot.station import Station
from robot.station.hardware import Hardware
from robot.tick_report import SessionView, TickReport
from robot_fakes import views_at
from studio.errors import StudioError
from studio.logs import configure_logs


class BlackCameras:
    """Fresh, and nothing in them."""

    def __init__(self, clock: MonotonicClock) -> None:
        self._clock = clock

    def views(self):
        return views_at(self._clock.now())

    def close(self) -> None:
        pass


class Speaker:
    """Says every tick; the loop's thread and the commands' alternate."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._shown: SessionView | None = None

    def __call__(self, report: TickReport) -> None:
        if report.session != self._shown:
            self._shown = report.session
            self.say(messages.session(report.session))
        self.say(messages.tick(report))
        for event in report.events:
            self.say(messages.event(event))

    def say(self, message: dict[str, object]) -> None:
        with self._lock:
            sys.stdout.write(json.dumps(message) + "\n")
            sys.stdout.flush()


def main(host: str, policy: str, following: str, recordings: Path) -> None:
    configure_logs(logging.ERROR)
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    raise_priority()
    clock, speaker = MonotonicClock(), Speaker()
    library, robot = connect_franka(host, "ignore")
    gripper = GripperThread(FrankaHand(library.Gripper(host), franky_errors(library)))
    settings = read_settings(
        ["--arm", "franka", "--policy", policy, "--following", following, "--recordings", str(recordings)]
    )
    arm = FrankaArm(library, robot, gripper, clock, settings.following)
    arm.home()
    hardware = Hardware(arm, BlackCameras(clock), arm.close, can_self_test=False)
    station = Station(settings, hardware, clock, listeners=[speaker])
    try:
        for line in sys.stdin:
            error, order = "", json.loads(line)
            try:
                station.order(parse_command(order))
            except StudioError as refused:
                error = str(refused)
            speaker.say({"type": "answer", "command": order["command"], "error": error})
    finally:
        station.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], Path(sys.argv[4]))
