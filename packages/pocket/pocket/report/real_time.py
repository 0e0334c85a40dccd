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

from pocket.report.closed_loop import ClosedLoop, Trial, marks_of
from pocket.report.exam import Figure, Marks
from pocket.report.rendering import SCENES, held_out
from pocket.report.tables import draw_errand
from robot.clock import MonotonicClock
from robot.evaluation.scenes import TableTask
from robot.evaluation.trials import REST_S, TableTrials
from robot.settings import read_settings
from robot.station.telemetry import Summary
from studio.checkpoints import SHIPPED
from studio.errors import EngineError
from studio.evaluation.episodes import EpisodeResult

LISTENING = "orrery listening on "
PRESET = "pocket"

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
        EngineError: the server did not start.
        RobotFault: its policy may not drive this arm, or the self-test did not pass.
    """
    errands = [draw_errand(number) for number in held_out(SCENES, count, seed)]
    with tempfile.TemporaryDirectory() as scratch, _server(folder, Path(scratch)) as url, _arm(url, scratch) as arm:
        trials: list[Trial] = []
        for errand in errands:
            trials.append(_trial(arm.try_it(TableTask(errand.seed, errand.thing, errand.words))))
            say(f"real_time: {len(trials)} of {count}")
        return trials, arm.station.meter.summary()


@contextmanager
def _arm(url: str, scratch: str) -> Iterator[TableTrials]:
    settings = read_settings(["--arm=simulated", f"--server={url}", f"--recordings={Path(scratch) / 'recordings'}"])
    trials = TableTrials(settings, MonotonicClock())
    try:
        trials.make_ready()
        yield trials
    finally:
        trials.close()


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


def _trial(result: EpisodeResult) -> Trial:
    reached, grasped, lifted = bool(result.reached), bool(result.grasped), bool(result.lifted)
    return Trial(reached, grasped, lifted, bool(result.wrong_object), bool(result.stopped))


def marked(trials: Sequence[Trial]) -> list[Marks]:
    """Marks by the names of ``FIGURES``."""
    return [marks_of(trial, "real") for trial in trials]
