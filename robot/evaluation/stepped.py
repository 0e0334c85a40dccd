"""Episodes on a clock that is turned by hand, so that other work on the machine is no part of them.

The loop, the safety filter and the simulated arm are the same as in real time. The world waits for each answer, which
then counts as having taken a set time.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from robot.arms.simulated import SimulatedArm
from robot.cameras.simulated import SteppedCameras
from robot.chunk import MAX_ROWS
from robot.clock import MonotonicClock, Tick
from robot.commands import Ready, Run, Start
from robot.evaluation.film import Film
from robot.evaluation.late_policy import BlankCameras, Decide, LatePolicy, TurnedClock
from robot.evaluation.scenes import TableTask
from robot.evaluation.trials import ENDED, LIMIT_S, await_policy, result_of
from robot.evaluation.watch import Watch
from robot.faults import NotInstalled
from robot.foresight import Foresight
from robot.loop import DeadMan, Loop, Sensors
from robot.loop.loop import PERIOD_S, Listener
from robot.observation import ArmState, Observation, Views
from robot.policy import Policy, PolicyConnection
from robot.settings import RobotSettings
from robot.simulation.library import GRAPHICS
from robot.simulation.world import World
from robot.station.station import connect_policy
from robot.tick_report import SessionView
from studio.errors import StudioError
from studio.evaluation.episodes import EpisodeResult

ANSWER_TIMEOUT_S = 600.0
"""A first answer may load and compile."""

LOOK_EVERY_S = 0.002


TICKS_BEFORE_ROWS = 2
"""Of `drive_stepped` with answers that take no time: one that makes ready, one that starts and asks."""


class SteppedTable:
    """The simulated table on a clock of its own, for whatever decides.

    Args:
        answers_after_s: how long each answer takes on that clock.

    Raises:
        NotInstalled: nothing can be rendered here, or MuJoCo is missing.
    """

    def __init__(self, answers_after_s: float) -> None:
        if not GRAPHICS.can_draw:
            raise NotInstalled(GRAPHICS.problem)
        self._answers_after_s = answers_after_s
        self._clock = TurnedClock()
        self._world = World(clock=self._clock)
        self._cameras = SteppedCameras(self._world)

    def try_it(self, task: TableTask, decide: Decide, film: Film | None = None) -> EpisodeResult:
        """One task.

        Args:
            decide: from what is seen to rows; the world waits for it.
            film: gets what is seen.
        """
        self._world.reset(task.scene)
        watch = Watch(self._world.object_poses(), task.thing)
        looking = LatePolicy(
            self._clock, lambda seen: decide(replace(seen, views=self._cameras.views())), self._answers_after_s
        )
        began_s = self._clock.now()

        def look() -> None:
            if film is not None:
                film.add(self._cameras.views())

        view = drive_stepped(self._world, self._clock, looking, task.instruction, watch, each_tick=look)
        return result_of(watch, view, self._clock.now() - began_s, self._answers_after_s)

    def lay(self, seed: int) -> tuple[Views, ArmState]:
        """Another table, with the arm at home: what is seen of it, and where the arm is."""
        self._world.reset(seed)
        return self._cameras.views(), self._world.state()

    def play(self, rows: NDArray[np.float64], film: Film) -> SessionView:
        """Play rows on the table as it lies, through the loop and its limits.

        Args:
            rows: float64 [n, 8].
            film: gets n + 1 pictures, fewer where the arm stopped: before the first row, and after each one.

        Returns:
            Where the session stands in the end.
        """
        coming = np.vstack([rows, np.repeat(rows[-1:], MAX_ROWS, axis=0)])
        ticks = itertools.count(1)

        def decide(seen: Observation) -> NDArray[np.float64]:
            num_played = max(0, seen.tick - TICKS_BEFORE_ROWS)
            return coming[num_played : num_played + MAX_ROWS]

        def look() -> None:
            if next(ticks) >= TICKS_BEFORE_ROWS:
                film.add(self._cameras.views())

        policy = LatePolicy(self._clock, decide, 0.0)
        num_ticks = TICKS_BEFORE_ROWS + len(rows) + 1
        return drive_stepped(self._world, self._clock, policy, "", num_ticks=num_ticks, each_tick=look)

    def close(self) -> None:
        """Let go of the cameras."""
        self._cameras.close()


class SteppedTrials:
    """As `TableTrials`, on a clock of its own.

    Args:
        settings: with the policy's address.
        answers_after_s: how long each answer takes on that clock.

    Raises:
        NotInstalled: nothing can be rendered here, or MuJoCo is missing.
    """

    def __init__(self, settings: RobotSettings, answers_after_s: float) -> None:
        self._table = SteppedTable(answers_after_s)
        connection = connect_policy(settings, MonotonicClock())
        assert connection is not None, "the program was given an address"
        self._connection: PolicyConnection = connection

    def make_ready(self) -> None:
        """Connect. Raises PolicyRefused, PolicyLost."""
        await_policy(self._connection.status, MonotonicClock())

    def try_it(self, task: TableTask, film: Film | None = None) -> EpisodeResult:
        """One task; `film` gets what is seen. Raises PolicyRefused, PolicyLost: the next task would meet it too."""
        await_policy(self._connection.status, MonotonicClock())
        return self._table.try_it(task, self._decide, film)

    def close(self) -> None:
        """Let go of the cameras and the policy."""
        self._connection.close()
        self._table.close()

    def _decide(self, seen: Observation) -> NDArray[np.float64]:
        self._connection.ask(seen, timeout_s=ANSWER_TIMEOUT_S)
        while (answer := self._connection.take()) is None:
            time.sleep(LOOK_EVERY_S)
        if isinstance(answer, StudioError):
            raise answer
        return answer.rows


def drive_stepped(
    world: World,
    clock: TurnedClock,
    policy: Policy,
    prompt: str,
    watch: Watch | None = None,
    *,
    num_ticks: int = round(LIMIT_S / PERIOD_S),
    arm: SimulatedArm | None = None,
    foresight: Foresight | None = None,
    each_tick: Callable[[], None] = lambda: None,
    listeners: Sequence[Listener] = (),
) -> SessionView:
    """One run of the loop, until the object is lifted, the arm is stopped or the ticks are over.

    Args:
        world: with its arm at home, on the clock.
        clock: that is turned.
        policy: looks by itself; what the loop shows it is black.
        prompt: the instruction.
        watch: told of every tick; none where nothing is to be lifted.
        num_ticks: at most, the one before the start among them.
        arm: of this world; none for one that does as it is told.
        foresight: of the loop.
        each_tick: called after every tick.
        listeners: of the loop, told of every tick.

    Returns:
        Where the session stands in the end.
    """
    arm = arm or SimulatedArm(world)
    # The policy looks when it is asked, at the same moment of the same world: a tenth of the drawing.
    sensors = Sensors(arm, BlankCameras(clock), clock, world.object_poses)
    loop = Loop(arm, sensors, policy, clock, dead_man=DeadMan(required=False), listeners=listeners, foresight=foresight)
    began_s = clock.now()
    loop.tell(Ready())
    loop.run_tick(Tick(0, clock.now(), clock.now()))
    loop.tell(Start(run=Run(prompt=prompt)))
    for number in range(1, num_ticks):
        clock.now_s = began_s + number * PERIOD_S
        world.catch_up()
        loop.run_tick(Tick(number, clock.now(), clock.now()))
        if watch is not None:
            watch.look(world.object_poses(), world.state().joint_positions)
        each_tick()
        if (watch is not None and watch.lifted) or loop.view.state in ENDED:
            break
    return loop.view
