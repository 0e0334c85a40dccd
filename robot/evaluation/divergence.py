"""`python -m robot.evaluation.divergence`: whether divergence tells disturbed runs of the simulated arm from others.

Runs alternate: every second one is disturbed a second after its start, in turns by an object moved by hand, a shifted
camera and a gripper that fails to close. Time is turned by hand (`robot.evaluation.stepped`): each answer takes a set
time, and the foreseen frames another one after it. It writes a line of JSON for each run, with the divergence of every
tick, then one with the curve. The policy's server must foresee: ours with a checkpoint that drives the arm.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robot.cameras.simulated import SteppedCameras
from robot.clock import MonotonicClock
from robot.evaluation.disturbances import BEGINS_S, KINDS, Disturbance, DisturbedArm, begin, seen_by
from robot.evaluation.late_policy import LatePolicy, TurnedClock
from robot.evaluation.roc import Series, area, curve, num_holds, score
from robot.evaluation.scenes import TableTask, table_benchmark, task_of
from robot.evaluation.stepped import ANSWER_TIMEOUT_S, LOOK_EVERY_S, drive_stepped
from robot.evaluation.trials import await_policy
from robot.evaluation.watch import Watch
from robot.faults import NotInstalled, PolicyLost, PolicyRefused
from robot.foresight import Foreseen, ForeseenClip, ForesightLink, Moment, diverged, label_of
from robot.observation import Observation, Views
from robot.settings import RobotSettings, read_settings
from robot.simulation.library import GRAPHICS
from robot.simulation.world import World
from robot.station.station import connect_policy, policy_token
from studio.errors import StudioError
from studio.logs import configure_logs

NUM_RUNS = 60
LIMIT, NUM_TICKS = 1.0, 5
"""What is reported beside the curve: a limit, and the number of ticks that a run has by default."""

ANSWERS_AFTER_S, FORESEEN_AFTER_S = 0.4, 0.4
"""From a question to its rows, and from these to their frames."""

CLIP_TIMEOUT_S = 600.0


@dataclass
class SteppedForesight:
    """Compares at once, in the loop's own tick, what has come by the clock's time.

    Attributes:
        clips: by label, with the moment from which they are there.
        series: motion measure of each tick.
    """

    clock: TurnedClock
    look_around: Any
    clips: dict[str, tuple[float, ForeseenClip]] = field(default_factory=dict[str, tuple[float, ForeseenClip]])
    series: list[float | None] = field(default_factory=list[float | None])

    def look(self, moment: Moment) -> Foreseen | None:
        """See `robot.foresight.Foresight`."""
        from_s, clip = self.clips.get(label_of(moment.epoch, moment.chunk_tick), (0.0, None))
        frame = round(moment.row)
        if clip is None or self.clock.now() < from_s or not 0 < frame < len(clip.frames):
            self.series.append(None)
            return None
        picture = clip.picture(frame)
        found = diverged(clip.picture(0), picture, self.look_around().canvas(), clip.views)
        self.series.append(found.worst)
        return Foreseen(moment, frame, picture, found)

    def forget(self) -> None:
        """Nothing is played in this tick."""
        self.series.append(None)


Foresees = Callable[[Observation], tuple[NDArray[np.float64], ForeseenClip]]
"""From what is seen to rows, float64 [n, 8], and the frames that the policy expects with them."""


class DisturbedRuns:
    """The simulated table, and what is done to it.

    Args:
        ask: the policy; the world waits for it.

    Raises:
        NotInstalled: nothing can be rendered here, or MuJoCo is missing.
    """

    def __init__(self, ask: Foresees) -> None:
        if not GRAPHICS.can_draw:
            raise NotInstalled(GRAPHICS.problem)
        self._ask = ask
        self._clock = TurnedClock()
        self._world = World(clock=self._clock)
        self._cameras = SteppedCameras(self._world)
        self._disturbance: Disturbance = "none"

    def run(self, task: TableTask, kind: Disturbance) -> list[float | None]:
        """The divergence of each tick. Raises StudioError, what `ask` does."""
        world, clock = self._world, self._clock
        world.reset(task.scene)
        self._disturbance = "none"
        arm, began_s = DisturbedArm(world), clock.now()
        foresight = SteppedForesight(clock, self._views)

        def decide(seen: Observation) -> NDArray[np.float64]:
            rows, clip = self._ask(replace(seen, views=self._views()))
            label = label_of(seen.epoch, seen.tick)
            foresight.clips[label] = clock.now() + ANSWERS_AFTER_S + FORESEEN_AFTER_S, clip
            return rows

        def disturb() -> None:
            if self._disturbance != kind and clock.now() - began_s >= BEGINS_S:
                self._disturbance = kind
                begin(kind, world, arm, task.thing)

        watch = Watch(world.object_poses(), task.thing)
        policy = LatePolicy(clock, decide, ANSWERS_AFTER_S)
        drive_stepped(world, clock, policy, task.instruction, watch, arm=arm, foresight=foresight, each_tick=disturb)
        return foresight.series

    def close(self) -> None:
        """Let go of the cameras."""
        self._cameras.close()

    def _views(self) -> Views:
        return seen_by(self._disturbance, self._cameras.views())


class ForeseeingServer:
    """The policy of the settings' server, asked for its frames too."""

    def __init__(self, settings: RobotSettings) -> None:
        self._clips: dict[str, ForeseenClip] = {}
        connection = connect_policy(settings, MonotonicClock(), self._keep)
        assert connection is not None, "the program was given an address"
        self._connection = connection
        self._link = ForesightLink(
            settings.policy_url, policy_token(settings), lambda: connection.status().foresight, self._keep
        )
        self._connection.wants_video = self._link.wanted = True

    def make_ready(self) -> None:
        """Connect. Raises PolicyRefused where it foresees nothing, and PolicyLost."""
        await_policy(self._connection.status, MonotonicClock())
        if not self._connection.status().predicts:
            raise PolicyRefused("The policy predicts no frames.", param="policy")
        time.sleep(1.0)  # until the link has dialled: a question before that is not foreseen

    def ask(self, seen: Observation) -> tuple[NDArray[np.float64], ForeseenClip]:
        """See `Foresees`. Raises PolicyRefused, PolicyLost."""
        self._clips.clear()
        self._connection.ask(seen, timeout_s=ANSWER_TIMEOUT_S)
        while (answer := self._connection.take()) is None:
            time.sleep(LOOK_EVERY_S)
        if isinstance(answer, StudioError):
            raise answer
        label = label_of(seen.epoch, seen.tick)
        ends_s = time.monotonic() + CLIP_TIMEOUT_S
        while (clip := self._clips.pop(label, None)) is None:
            if time.monotonic() > ends_s:
                raise PolicyLost(f"The frames of question {label} did not come within {CLIP_TIMEOUT_S:.0f} s.")
            time.sleep(LOOK_EVERY_S)
        return answer.rows, clip

    def close(self) -> None:
        """Let go of the connections."""
        self._link.close()
        self._connection.close()

    def _keep(self, clip: ForeseenClip) -> None:
        self._clips[clip.label] = clip


def summed_up(runs: Sequence[tuple[Disturbance, Series]], limit: float, num_ticks: int) -> dict[str, Any]:
    """The curve, the area below it, for each disturbance too, and what happens at a limit."""
    undisturbed = [series for kind, series in runs if kind == "none"]
    disturbed = {kind: [series for one, series in runs if one == kind] for kind in KINDS}
    every = [series for group in disturbed.values() for series in group]
    if not every or not undisturbed:
        return {}
    calm = [score(series, num_ticks) for series in undisturbed]
    return {
        "num_disturbed": len(every),
        "num_undisturbed": len(undisturbed),
        "num_ticks": num_ticks,
        "area": area([score(series, num_ticks) for series in every], calm),
        "areas": {
            kind: area([score(series, num_ticks) for series in group], calm)
            for kind, group in disturbed.items()
            if group
        },
        "limit": limit,
        "detected": sum(num_holds(series, limit, num_ticks) > 0 for series in every),
        "false_alarms": sum(num_holds(series, limit, num_ticks) for series in undisturbed),
        "curve": [asdict(point) for point in curve(every, undisturbed, num_ticks)],
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run; 2 with one line that says why when it cannot go on."""
    parser = argparse.ArgumentParser(
        prog="python -m robot.evaluation.divergence", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--runs", type=int, default=NUM_RUNS, help=f"number of runs (default: {NUM_RUNS})")
    parser.add_argument("--seed", type=int, default=0, help="another seed has other tables (default: 0)")
    parser.add_argument("--limit", type=float, default=LIMIT, help=f"limit to report on (default: {LIMIT:g})")
    parser.add_argument("--ticks", type=int, default=NUM_TICKS, help=f"ticks beyond it (default: {NUM_TICKS})")
    said, others = parser.parse_known_args(arguments)
    configure_logs(logging.ERROR)
    try:
        with tempfile.TemporaryDirectory() as scratch, ExitStack() as stack:
            server = ForeseeingServer(read_settings([f"--recordings={scratch}", "--arm=simulated", *others]))
            stack.callback(server.close)
            server.make_ready()
            trials = DisturbedRuns(server.ask)
            stack.callback(trials.close)
            runs = list(disturbed_series(trials, said.runs, said.seed))
        _say(summed_up(runs, said.limit, said.ticks))
    except StudioError as error:
        sys.stderr.write(f"orrery divergence: {error}\n")
        return 2
    return 0


def disturbed_series(
    trials: DisturbedRuns, num_runs: int, seed: int, numbers: Sequence[int] | None = None
) -> Iterator[tuple[Disturbance, Series]]:
    """The runs one after the other, each also written as a line.

    Args:
        numbers: of those that are driven; none for all.
    """
    for number, item in enumerate(table_benchmark(num_runs, ("default",), seed).items):
        if numbers is not None and number not in numbers:
            continue
        kind: Disturbance = KINDS[number // 2 % len(KINDS)] if number % 2 else "none"
        series = trials.run(task_of(item), kind)
        _say({"item": item.id, "disturbance": kind, "divergence": series})
        yield kind, series


def _say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
