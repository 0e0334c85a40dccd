"""The policy in a closed loop: the robot room's own loop, safety filter and simulated arm, fifteen times a second.

`robot.loop.Loop` runs as beside an arm; its clock is turned by hand, so that a run is a function of its seed and other
work on the machine is no part of it. An answer takes as long on that clock as `pocket.report.pacing` found a chunk to
take, while the arm goes on. `pocket.report.real_time` is the same with nothing turned by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pocket.report.candidate import ANSWERS_AFTER_S, Candidate, Pixels
from pocket.report.deciding import as_candidate, as_scripted, at_random, doing_nothing
from pocket.report.exam import Exam, Figure, Marks, Shown
from pocket.report.rendering import SCENES, held_out
from pocket.report.tables import TableErrand, bare_scene, draw_errand
from robot.cameras.simulated import SteppedCameras
from robot.evaluation.late_policy import BlankCameras, Decide, LatePolicy, TurnedClock
from robot.evaluation.stepped import drive_stepped
from robot.evaluation.trials import ENDED
from robot.evaluation.watch import Watch
from robot.simulation.world import World

Chooser = Callable[[Callable[[], Pixels]], Decide]
"""Who drives, given a way to look: what that returns is the canvas of now, uint8 [540, 640, 3]."""


@dataclass(frozen=True)
class Trial:
    """What became of it.

    Attributes:
        reached: the hand was at the named thing.
        grasped: the thing left the table at the hand.
        lifted: it was in the air at the hand for a while.
        wrong_lifted: another thing was in the air.
        stopped: the safety filter stopped the arm.
        seen: what the cameras saw in the end, uint8 [540, 640, 3]; none where nobody looked.
    """

    reached: bool
    grasped: bool
    lifted: bool
    wrong_lifted: bool
    stopped: bool
    seen: Pixels | None = None

    def __str__(self) -> str:
        told = ("lifted", "grasped", "reached")
        best = next((name for name in told if getattr(self, name)), "never at it")
        also = [words for words, holds in (("lifted another", self.wrong_lifted), ("stopped", self.stopped)) if holds]
        return ", ".join([best, *also])


class ClosedLoop(Exam[TableErrand, Trial]):
    """Tables of the bridge that nobody trained on, and varied words for one of the things on them."""

    name = "policy"
    figures = (
        Figure("policy_reach", "policy: reached the named object", bar=0.95),
        Figure("policy_grasp", "policy: grasped it"),
        Figure("policy_lift", "policy: lifted it", bar=0.85),
        Figure("policy_wrong", "policy: lifted another object", higher=False, bar=0.03),
        Figure("policy_stopped", "policy: stopped by the safety filter", higher=False),
    )
    ceiling_is = "the scripted policy, which knows where everything is"
    chance_is = "joints that move at random; and an arm that does nothing"
    num_beside = 40

    def tasks(self, count: int, seed: int) -> Sequence[TableErrand]:
        """Scenes."""
        return [draw_errand(number) for number in held_out(SCENES, count, seed)]

    def ask(self, candidate: Candidate, task: TableErrand) -> Trial:
        """It looks through the three cameras."""
        return try_it(
            task,
            lambda look: as_candidate(candidate, task.seed % 1_000_000, look),
            looks=True,
            answers_after_s=candidate.answers_after_s,
        )

    def truth(self, task: TableErrand) -> Trial:
        """The scripted policy."""
        return try_it(task, lambda _: as_scripted(task.usual))

    def ignorant(self, task: TableErrand, other: TableErrand) -> Trial:
        """At random."""
        return try_it(task, lambda _: at_random(task.seed))

    def idle(self, task: TableErrand) -> Trial:
        """Nothing."""
        return try_it(task, lambda _: doing_nothing)

    def show(self, task: TableErrand, answer: Trial) -> Shown | None:
        """The end of the run."""
        return None if answer.seen is None else Shown((answer.seen,), (f"{task.words} ({task.usual}): {answer}",))

    def mark(self, task: TableErrand, answer: Trial) -> Marks:
        """Each as a rate."""
        return marks_of(answer, "policy")


def marks_of(trial: Trial, prefix: str) -> Marks:
    """By the names of the figures, which begin with a prefix: {"policy_lift": 1.0, …}."""
    return {
        f"{prefix}_reach": float(trial.reached),
        f"{prefix}_grasp": float(trial.grasped),
        f"{prefix}_lift": float(trial.lifted),
        f"{prefix}_wrong": float(trial.wrong_lifted),
        f"{prefix}_stopped": float(trial.stopped),
    }


def try_it(
    errand: TableErrand, choose: Chooser, *, looks: bool = False, answers_after_s: float = ANSWERS_AFTER_S
) -> Trial:
    """One run, from home until the named thing is lifted, the arm is stopped or ``LIMIT_S`` is over.

    Raises:
        NotInstalled: it looks, and there is nothing to draw with.
    """
    clock = TurnedClock()
    world = World(bare_scene(), seed=errand.seed, clock=clock)
    watch = Watch(world.object_poses(), errand.thing)
    cameras = SteppedCameras(world) if looks else BlankCameras(clock)
    policy = LatePolicy(clock, choose(lambda: cameras.views().canvas()), answers_after_s)
    try:
        view = drive_stepped(world, clock, policy, errand.words, watch)
        seen = np.asarray(cameras.views().canvas(), np.uint8) if looks else None
    finally:
        cameras.close()
    stopped = view.state in ENDED
    return Trial(watch.reached, watch.grasped, watch.lifted, watch.wrong_lifted, stopped, seen)
