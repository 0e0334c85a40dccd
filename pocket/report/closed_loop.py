"""The policy in a closed loop: the robot room's own loop, safety filter and simulated arm, fifteen times a second.

`robot.loop.Loop` runs as beside an arm; its clock is turned by hand, so that a run is a function of its seed and no
machine is too slow for it: an answer takes `ANSWERS_AFTER_S` of that clock, while the arm goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Event

import numpy as np
from numpy.typing import NDArray

from pocket.report.candidate import Candidate
from pocket.report.deciding import Decide, LatePolicy, as_candidate, as_scripted, at_random, doing_nothing
from pocket.report.exam import Exam, Figure, Marks
from pocket.report.seeds import SCENES, held_out
from pocket.world.happenings import LIFT_BEGINS_M, LIFTED_M, NEAR_M
from pocket.world.instructing import instruct
from robot.arms.simulated import SimulatedArm
from robot.cameras.simulated import SteppedCameras
from robot.clock import Tick
from robot.loop import DeadMan, Eyes, Loop
from robot.loop.commands import Ready, Start
from robot.loop.loop import PERIOD_S
from robot.objects import ObjectPose
from robot.observation import EXTERIOR_SIZE, WRIST_SIZE, Views
from robot.run import Run
from robot.scripted.kinematics import locate_hand
from robot.simulation.arrangement import SLOTS
from robot.simulation.scene import Scene, build_scene
from robot.simulation.world import World

LIMIT_S = 8.0
"""The scripted policy lifts in some 3 s."""

HELD_TICKS = 5
"""In the air for so long is lifted."""

NUM_NAMED = len(SLOTS) - 1
"""Things that are asked for: all but the bowl, which is taken by its rim."""


class TurnedClock:
    """A clock that stands still until it is turned."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def now(self) -> float:
        """Seconds since it was made."""
        return self.now_s

    def wait_until(self, deadline_s: float, wake: Event | None = None) -> None:
        """Turn it on."""
        self.now_s = max(self.now_s, deadline_s)


class BlankCameras:
    """Black pictures, for who does not look."""

    def __init__(self, clock: TurnedClock) -> None:
        self._clock = clock
        wide, side = (np.zeros((height, width, 3), np.uint8) for width, height in (WRIST_SIZE, EXTERIOR_SIZE))
        self._pictures = wide, side, side

    def views(self) -> Views:
        """Of now."""
        return Views(self._clock.now(), *self._pictures)

    def close(self) -> None:
        """There is nothing to let go of."""


@dataclass(frozen=True)
class Errand:
    """A table, and what is to be lifted from it.

    Attributes:
        seed: of the table.
        thing: index of the named one.
        words: as a person says it.
        usual: in the plainest words.
    """

    seed: int
    thing: int
    words: str
    usual: str


@dataclass(frozen=True)
class Trial:
    """What became of it.

    Attributes:
        reached: the hand was at the named thing.
        grasped: the thing left the table at the hand.
        lifted: it was in the air at the hand for ``HELD_TICKS``.
        wrong_lifted: another thing was in the air.
        stopped: the safety filter stopped the arm.
        took_s: seconds that an answer really took, the median; 0 where there was none.
    """

    reached: bool
    grasped: bool
    lifted: bool
    wrong_lifted: bool
    stopped: bool
    took_s: float


class ClosedLoop(Exam[Errand, Trial]):
    """Tables of the bridge that nobody trained on, and varied words for one of the things on them."""

    name = "policy"
    figures = (
        Figure("policy_reach", "policy: reached the named thing", bar=0.95),
        Figure("policy_grasp", "policy: grasped it"),
        Figure("policy_lift", "policy: lifted it", bar=0.85),
        Figure("policy_wrong", "policy: lifted another thing", higher=False, bar=0.03),
        Figure("policy_stopped", "policy: stopped by the safety filter", higher=False),
        Figure(
            "policy_chunk_s",
            "policy: seconds a chunk took on this machine (the loop gave it 0.4)",
            "median",
            higher=False,
            bar=0.5,
            has_chance=False,
        ),
    )
    ceiling_is = "the scripted policy, which is told where everything is"
    chance_is = "joints that wander at random; and an arm that does nothing"
    num_beside = 40

    def tasks(self, count: int, seed: int) -> Sequence[Errand]:
        """Scenes."""
        return [_errand(number) for number in held_out(SCENES, count, seed)]

    def ask(self, candidate: Candidate, task: Errand) -> Trial:
        """It looks through the three cameras."""
        return try_it(task, as_candidate(candidate, task.seed % 1_000_000), looks=True)

    def truth(self, task: Errand) -> Trial:
        """The scripted policy."""
        return try_it(task, as_scripted(task.usual), looks=False)

    def ignorant(self, task: Errand, other: Errand) -> Trial:
        """At random."""
        return try_it(task, at_random(task.seed), looks=False)

    def idle(self, task: Errand) -> Trial:
        """Nothing."""
        return try_it(task, doing_nothing, looks=False)

    def mark(self, task: Errand, answer: Trial) -> Marks:
        """Each as a rate."""
        found = {
            "policy_reach": float(answer.reached),
            "policy_grasp": float(answer.grasped),
            "policy_lift": float(answer.lifted),
            "policy_wrong": float(answer.wrong_lifted),
            "policy_stopped": float(answer.stopped),
        }
        return found | ({"policy_chunk_s": answer.took_s} if answer.took_s else {})


def try_it(errand: Errand, decide: Decide, *, looks: bool) -> Trial:
    """One run, from home until the named thing is lifted, the arm is stopped or ``LIMIT_S`` is over.

    Raises:
        NotInstalled: it looks, and there is nothing to draw with.
    """
    clock = TurnedClock()
    world = World(_scene(), seed=errand.seed, clock=clock)
    before = world.object_poses()
    cameras = SteppedCameras(world) if looks else BlankCameras(clock)
    policy = LatePolicy(clock, decide)
    arm = SimulatedArm(world)
    eyes = Eyes(arm, cameras, clock, world.object_poses)
    loop = Loop(arm, eyes, policy, clock, dead_man=DeadMan(required=False))
    watch = _Watch(before, errand.thing)
    try:
        loop.tell(Ready())
        loop.turn(Tick(0, clock.now(), clock.now()))
        loop.tell(Start(Run(prompt=errand.words)))
        for number in range(1, round(LIMIT_S / PERIOD_S)):
            clock.now_s = number * PERIOD_S
            world.catch_up()
            loop.turn(Tick(number, clock.now(), clock.now()))
            watch.look(world)
            if watch.lifted or loop.view.state == "stopped":
                break
    finally:
        cameras.close()
    took_s = float(np.median(policy.took_s)) if looks and policy.took_s else 0.0
    stopped = loop.view.state == "stopped"
    return Trial(watch.reached, watch.grasped, watch.lifted, watch.wrong_lifted, stopped, took_s)


class _Watch:
    """What the simulation itself says of a run."""

    def __init__(self, before: Sequence[ObjectPose], thing: int) -> None:
        self._heights = _heights(before)
        self._thing = thing
        self._num_held = 0
        self.reached = self.grasped = self.wrong_lifted = False

    @property
    def lifted(self) -> bool:
        return self._num_held >= HELD_TICKS

    def look(self, world: World) -> None:
        things = world.object_poses()
        rises = _heights(things) - self._heights
        hand = locate_hand(world.state().joint_positions)[0]
        near = float(np.linalg.norm(hand - things[self._thing].position)) < NEAR_M
        mine = float(rises[self._thing])
        self.reached = self.reached or near
        self.grasped = self.grasped or (near and mine > LIFT_BEGINS_M)
        self._num_held = self._num_held + 1 if near and mine > LIFTED_M else 0
        self.wrong_lifted = self.wrong_lifted or float(np.delete(rises, self._thing).max()) > LIFTED_M


def _heights(things: Sequence[ObjectPose]) -> NDArray[np.float64]:
    return np.array([thing.position[2] for thing in things])


@lru_cache(maxsize=1)
def _scene() -> Scene:
    return build_scene(None)


def _errand(seed: int) -> Errand:
    """The table's own words for one of its things: of six, one of the five that are not the usual ones."""
    generator = np.random.default_rng(seed)
    objects = World(_scene(), seed=seed, clock=TurnedClock()).object_poses()
    thing = int(generator.integers(NUM_NAMED))
    instructions = instruct("pick", objects, thing, None, generator)
    return Errand(seed, thing, instructions[int(generator.integers(1, len(instructions)))], instructions[0])
