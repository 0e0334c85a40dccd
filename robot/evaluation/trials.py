"""The station of the simulated arm with somebody who watches the world: one task after the other, in real time."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median

from robot.clock import Clock
from robot.commands import Finish, Recover, ResetScene, Run, RunSelfTest, Start
from robot.evaluation.film import Film
from robot.evaluation.scenes import TableTask
from robot.evaluation.watch import Watch
from robot.faults import PolicyLost, PolicyRefused, RobotFault
from robot.policy import PolicyStatus
from robot.settings import RobotSettings
from robot.station import Station
from robot.station.hardware import connect_hardware
from robot.station.self_test import Check
from robot.tick_report import SessionView, TickReport
from studio.evaluation.episodes import EpisodeResult

LIMIT_S = 8.0
"""Of an episode; the scripted policy lifts in some 3 s."""

ENDED = ("stopped", "fault")
"""What a session is after the arm was stopped: by a rule, or because a target was out of all reach."""

LOOK_EVERY_S = 0.05
READY_S, SELF_TEST_S, REST_S = 120.0, 180.0, 10.0
"""How long a policy may load and warm up, the arm may try itself, and a run may take to end."""


class TableTrials:
    """The simulated arm, its loop and a policy's client, as `python -m robot --prompt` has them.

    Args:
        settings: of the simulated arm, with the policy's address.
        clock: in whose time everything happens.

    Raises:
        CameraLost: nothing can be rendered here; the message names the packages.
        NotInstalled: MuJoCo is missing.
    """

    def __init__(self, settings: RobotSettings, clock: Clock) -> None:
        self._clock = clock
        self._hardware = connect_hardware(settings, clock)
        self._watch: Watch | None = None
        self._film: Film | None = None
        self._latencies_s: list[float] = []
        self._failed = ""
        try:
            self._hardware.cameras.views()
            self.station = Station(settings, self._hardware, clock, listeners=[self._look], on_check=self._note)
        except RobotFault:
            self._hardware.close()
            raise

    def make_ready(self) -> None:
        """Connect and test, as a person does before the first run.

        Raises:
            PolicyRefused: its actions may not drive this arm.
            PolicyLost: it does not answer.
            RobotFault: the self-test did not pass.
        """
        await_policy(lambda: self.station.policy_status, self._clock)
        self.station.order(RunSelfTest())
        self._until(lambda: not self.station.busy, SELF_TEST_S)
        if self.station.view.state != "ready":
            raise RobotFault(f"The self-test of the simulated arm did not pass. {self._failed}".rstrip())

    def try_it(self, task: TableTask, film: Film | None = None) -> EpisodeResult:
        """One task, from home until the object is lifted, the arm is stopped or ``LIMIT_S`` is over.

        Args:
            task: what is asked for.
            film: gets what the cameras see.

        Raises:
            PolicyRefused, PolicyLost: as `make_ready`; the next task would meet it too.
        """
        await_policy(lambda: self.station.policy_status, self._clock)
        self.station.order(ResetScene(seed=task.scene))
        self._latencies_s = []
        watch = self._watch = Watch(self._hardware.objects(), task.thing)
        self._film = film
        began_s = self._clock.now()
        self.station.order(Start(run=Run(prompt=task.instruction)))
        self._until(lambda: watch.lifted or self.station.view.state in ENDED, LIMIT_S)
        seconds = self._clock.now() - began_s
        self._watch = self._film = None
        view = self.station.view
        self.station.order(Recover() if view.state in ENDED else Finish())
        self._until(lambda: not self.station.busy and self.station.view.state == "ready", REST_S)
        return result_of(watch, view, seconds, median(self._latencies_s) if self._latencies_s else None)

    def close(self) -> None:
        """Let go of the arm and the policy."""
        self.station.close()

    def _look(self, report: TickReport) -> None:
        watch = self._watch
        if watch is not None and report.latency_s is not None:
            self._latencies_s.append(report.latency_s)
        if watch is not None and report.state is not None:
            watch.look(self._hardware.objects(), report.state.joint_positions)
        if self._film is not None and report.views is not None:
            self._film.add(report.views)

    def _note(self, check: Check) -> None:
        if check.outcome == "failed":
            self._failed = check.words

    def _until(self, holds: Callable[[], bool], limit_s: float) -> None:
        _wait(self._clock, holds, limit_s)


def await_policy(status: Callable[[], PolicyStatus], clock: Clock) -> None:
    """Wait until the policy may drive.

    Raises:
        PolicyRefused: its actions may not drive this arm.
        PolicyLost: it was not ready within ``READY_S``.
    """
    _wait(clock, lambda: status().connection in ("ready", "refused"), READY_S)
    found = status()
    if found.connection == "refused":
        raise PolicyRefused(found.words)
    if found.connection != "ready":
        raise PolicyLost(f"The policy was not ready within {READY_S:.0f} s. {found.words}".rstrip())


def result_of(watch: Watch, view: SessionView, seconds: float, answer_s: float | None) -> EpisodeResult:
    """What became of an episode.

    Args:
        watch: that looked at every tick.
        view: where the session stood in the end.
        seconds: from its start.
        answer_s: how long the policy took for an answer.
    """
    stopped = view.state in ENDED
    return EpisodeResult(
        success=watch.lifted and not watch.wrong_lifted and not stopped,
        reached=watch.reached,
        grasped=watch.grasped,
        lifted=watch.lifted,
        wrong_object=watch.wrong_lifted,
        stopped=view.stop.value if stopped and view.stop is not None else "",
        seconds=round(seconds, 2),
        answer_s=None if answer_s is None else round(answer_s, 3),
        reason=view.words if stopped else "",
    )


def _wait(clock: Clock, holds: Callable[[], bool], limit_s: float) -> None:
    ends_at_s = clock.now() + limit_s
    while not holds() and clock.now() < ends_at_s:
        clock.wait_until(clock.now() + LOOK_EVERY_S)
