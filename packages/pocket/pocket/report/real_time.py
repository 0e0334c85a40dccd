"""The policy in real time: the robot's program and a server, as `orrery robot --prompt` has them.

A server of its own is started with the checkpoint; `robot.station.Station` drives the simulated arm as it does beside
one, fifteen times a second, and asks over the server's policy websocket. What the machine is too slow for is missed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from pocket.report.closed_loop import STOPPED, ClosedLoop, Trial, marks_of
from pocket.report.exam import Figure, Marks
from pocket.report.rendering import SCENES, held_out
from pocket.report.tables import LIMIT_S, TableErrand, Watch, draw_errand
from robot.clock import MonotonicClock
from robot.commands import Finish, Recover, ResetScene, Run, RunSelfTest, Start
from robot.settings import read_settings
from robot.station import Station
from robot.station.hardware import Hardware, connect_hardware
from robot.station.telemetry import Summary
from robot.tick_report import TickReport
from studio.checkpoints import SHIPPED
from studio.errors import EngineError, StudioError

LISTENING = "orrery listening on "
PRESET = "pocket"
LOOK_EVERY_S = 0.05
READY_S, SELF_TEST_S, REST_S = 120.0, 180.0, 10.0
"""How long the server may load and warm up, the arm may try itself, and a run may take to end."""

FIGURES: tuple[Figure, ...] = tuple(
    replace(
        figure,
        name=figure.name.replace("policy_", "real_"),
        title=figure.title.replace("policy:", "policy in real time:"),
        has_chance=False,
    )
    for figure in ClosedLoop.figures
)


def try_in_real_time(folder: Path, count: int, seed: int, say: Callable[[str], None]) -> tuple[list[Trial], Summary]:
    """So many of the closed loop's own tables, one after the other, and how the loop kept its time.

    Raises:
        EngineError: the server did not start, or its policy may not drive this arm.
        StudioError: the self-test did not pass.
    """
    errands = [draw_errand(number) for number in held_out(SCENES, count, seed)]
    with tempfile.TemporaryDirectory() as scratch, _server(folder, Path(scratch)) as url, _arm(url, scratch) as arm:
        trials: list[Trial] = []
        for errand in errands:
            trials.append(arm.try_it(errand))
            say(f"real_time: {len(trials)} of {count}")
        return trials, arm.station.meter.summary()


class _Arm:
    """The robot's program, and somebody who watches the world."""

    def __init__(self, url: str, recordings: Path) -> None:
        settings = read_settings(["--arm=simulated", f"--server={url}", f"--recordings={recordings}"])
        self._clock = MonotonicClock()
        self.hardware: Hardware = connect_hardware(settings, self._clock)
        self._watch: Watch | None = None
        self.station = Station(settings, self.hardware, self._clock, listeners=[self._look])

    def make_ready(self) -> None:
        """As a person does before the first run."""
        if not self._until(lambda: self.station.has_policy, READY_S):
            raise EngineError("The server's policy was not ready.", hint=f"It had {READY_S:.0f} s to load.")
        self.station.order(RunSelfTest())
        self._until(lambda: not self.station.busy, SELF_TEST_S)
        if self.station.view.state != "ready":
            raise StudioError(
                "The self-test of the simulated arm did not pass.", hint="orrery robot --prompt says which check."
            )

    def try_it(self, errand: TableErrand) -> Trial:
        """One table, as `pocket.report.closed_loop.try_it`."""
        self.station.order(ResetScene(seed=errand.seed))
        watch = self._watch = Watch(self.hardware.objects(), errand.thing)
        self.station.order(Start(run=Run(prompt=errand.words)))
        self._until(lambda: watch.lifted or self.station.view.state in STOPPED, LIMIT_S)
        self._watch = None
        stopped = self.station.view.state in STOPPED
        self.station.order(Recover() if stopped else Finish())
        self._until(lambda: not self.station.busy and self.station.view.state == "ready", REST_S)
        return Trial(watch.reached, watch.grasped, watch.lifted, watch.wrong_lifted, stopped)

    def _look(self, report: TickReport) -> None:
        watch = self._watch
        if watch is not None and report.state is not None:
            watch.look(self.hardware.objects(), report.state.joint_positions)

    def _until(self, holds: Callable[[], bool], limit_s: float) -> bool:
        ends_at_s = self._clock.now() + limit_s
        while not holds() and self._clock.now() < ends_at_s:
            self._clock.wait_until(self._clock.now() + LOOK_EVERY_S)
        return holds()


@contextmanager
def _arm(url: str, scratch: str) -> Iterator[_Arm]:
    arm = _Arm(url, Path(scratch) / "recordings")
    try:
        arm.make_ready()
        yield arm
    finally:
        arm.station.close()


@contextmanager
def _server(folder: Path, scratch: Path) -> Iterator[str]:
    """A server on a free port with the checkpoint as its pocket, whose preset says how a policy is sampled."""
    data = scratch / "data"
    (data / "presets").mkdir(parents=True)
    (data / "checkpoints").mkdir()
    (data / "checkpoints" / PRESET).symlink_to(folder.absolute(), target_is_directory=True)
    preset = (SHIPPED / "checkpoints" / f"{PRESET}.toml").read_text()
    (data / "presets" / f"{PRESET}.toml").write_text(preset.replace("ships = true", "built_here = true"))
    told = {"ORRERY_PORT": "0", "ORRERY_DATA": str(data), "ORRERY_CHECKPOINT": PRESET}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ORRERY_")} | told
    with (scratch / "server.log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "backend"], env=environment, text=True, stdout=subprocess.PIPE, stderr=log
        )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        if not line.startswith(LISTENING):
            raise EngineError("The server did not start.", hint=(scratch / "server.log").read_text()[-400:])
        address = urlsplit(line.removeprefix(LISTENING).strip())
        yield f"{address.scheme}://{address.netloc}"
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(REST_S)
        process.kill()
        process.stdout.close()


def marked(trials: Sequence[Trial]) -> list[Marks]:
    """Marks by the names of ``FIGURES``."""
    return [marks_of(trial, "real") for trial in trials]
