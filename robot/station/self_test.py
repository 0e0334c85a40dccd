"""Before anything runs: does the arm do what it is told, is each camera the one it is taken for, is the policy quick?

It moves the arm a little, through the same filter as everything else.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from robot.arms import Arm
from robot.cameras import Cameras
from robot.clock import Clock, Pace
from robot.faults import ArmLost, CameraLost
from robot.loop.mover import Mover
from robot.loop.sensors import no_objects
from robot.objects import ObjectPose
from robot.observation import EXTERIOR_SIZE, NUM_JOINTS, ROWS_PER_SECOND, WRIST_SIZE, ArmState, Observation, Views
from robot.playing import Latency, largest_gapless_horizon
from robot.policy import PolicyConnection
from robot.safety import LIMITS
from studio.errors import StudioError

NUDGE_RAD = 0.1
"""Larger than the arm's friction holds back at DROID's soft gains (0.03 rad)."""

MOVED_RAD = 0.03
NUDGE_S = 1.0
GRIPPER_S = 2.0
GRIPPER_MOVED = 0.3
WARM_UP_TIMEOUT_S = 600.0
NUM_TIMED = 5

Outcome = Literal["passed", "failed", "ask"]


@dataclass(frozen=True)
class Check:
    """One finding.

    Attributes:
        outcome: `ask` is for a person to confirm.
        words: what was found, and what to do where it failed.
    """

    name: str
    outcome: Outcome
    words: str


class SelfTest:
    """Run it on a thread of its own while the loop commands nothing.

    Args:
        policy: none leaves out its check.
        objects: known poses, where a simulated world tells them.
        confirmed: names of checks that a person answered for, or that hold by how the thing is built.
        cancelled: ends it between two ticks.
        timed: told how many seconds each answer of the policy took, but for the first, which may load and compile.
    """

    def __init__(
        self,
        arm: Arm,
        cameras: Cameras,
        clock: Clock,
        *,
        policy: PolicyConnection | None = None,
        objects: Callable[[], Sequence[ObjectPose]] = no_objects,
        confirmed: frozenset[str] = frozenset(),
        cancelled: threading.Event | None = None,
        timed: Callable[[float], None] = lambda _: None,
    ) -> None:
        self._arm = arm
        self._cameras = cameras
        self._clock = clock
        self._policy = policy
        self._objects = objects
        self._confirmed = confirmed
        self._cancelled = cancelled or threading.Event()
        self._timed = timed
        self._mover = Mover(arm, clock, "continuous")

    def run(self) -> Iterator[Check]:
        """Every check in order, as it is found; the first that fails is the last."""
        steps: tuple[Callable[[], Iterator[Check]], ...] = (
            self._arm_is_there,
            self._cameras_are_there,
            self._joints_follow,
            self._gripper_closes_towards_one,
            self._a_person_looks,
            self._policy_is_quick,
        )
        for step in steps:
            try:
                for check in step():
                    yield check
                    if check.outcome == "failed":
                        return
            except (ArmLost, CameraLost) as error:
                yield Check("connection", "failed", str(error))
                return

    def _arm_is_there(self) -> Iterator[Check]:
        state, limits = self._arm.state(), LIMITS[self._arm.model]
        inside = (state.joint_positions >= limits.soft_min) & (state.joint_positions <= limits.soft_max)
        if not inside.all():
            joints = ", ".join(str(index + 1) for index in np.flatnonzero(~inside))
            yield Check("arm", "failed", f"Joint {joints} is outside its soft limits. Move the arm home first.")
        elif np.abs(state.joint_velocities).max() > 0.05:
            yield Check("arm", "failed", "The arm moves without a command.")
        else:
            yield Check("arm", "passed", f"A {self._arm.model} at rest within its limits.")

    def _cameras_are_there(self) -> Iterator[Check]:
        first = self._cameras.views()
        self._wait(0.5)
        second = self._cameras.views()
        for name, picture, (width, height) in (
            ("wrist", second.wrist, WRIST_SIZE),
            ("exterior 1", second.exterior_1, EXTERIOR_SIZE),
            ("exterior 2", second.exterior_2, EXTERIOR_SIZE),
        ):
            if picture.shape != (height, width, 3):
                yield Check(
                    "cameras", "failed", f"The {name} view is {picture.shape}; ({height}, {width}, 3) expected."
                )
            elif picture.std() < 1:
                yield Check(
                    "cameras", "failed", f"The {name} view has only one colour. Check that its lens is not covered."
                )
        if second.captured_at_s <= first.captured_at_s:
            yield Check("cameras", "failed", "The camera images do not change.")
        yield Check("cameras", "passed", "Three views, all up to date.")

    def _joints_follow(self) -> Iterator[Check]:
        for joint in range(NUM_JOINTS):
            start = self._arm.state()
            there = np.append(start.joint_positions, start.gripper_position)
            nudged = there.copy()
            nudged[joint] += NUDGE_RAD if start.joint_positions[joint] < self._middle[joint] else -NUDGE_RAD
            way = float(np.sign(nudged[joint] - there[joint]))
            self._go(
                nudged, NUDGE_S, runs_away=lambda now, at=start, j=joint, w=way: w * _moved(at, now, j) < -MOVED_RAD
            )
            moved_rad = _moved(start, self._arm.state(), joint)
            if way * moved_rad < MOVED_RAD:
                self._mover.rest()
                told = f"Joint {joint + 1} was commanded to move by {way * NUDGE_RAD:+.2f} rad"
                yield Check("joints", "failed", f"{told} and moved by {moved_rad:+.3f}.")
            self._go(there, NUDGE_S)
        yield Check("joints", "passed", "Every joint moves as commanded.")

    def _gripper_closes_towards_one(self) -> Iterator[Check]:
        state = self._arm.state()
        found: list[float] = []
        seen: list[Views] = []
        for target in (0.0, 1.0, 0.0):
            self._go(np.append(state.joint_positions, target), GRIPPER_S)
            found.append(self._arm.state().gripper_position)
            seen.append(self._cameras.views())
        opened, closed, again = found
        if closed - opened < GRIPPER_MOVED or closed - again < GRIPPER_MOVED:
            words = f"For 0, 1, 0 the gripper reported {opened:.2f}, {closed:.2f}, {again:.2f}; 1 must close it."
            yield Check("gripper", "failed", words)
        yield Check("gripper", "passed", f"0 opens it ({opened:.2f}), 1 closes it ({closed:.2f}).")
        wrist, *exteriors = _shifts(seen[0], seen[1])
        if wrist <= max(exteriors):
            words = "Closing the gripper changed an exterior view more than the wrist view. Check the camera order."
            yield Check("camera order", "failed", words)
        yield Check("camera order", "passed", "The wrist camera is the one that sees the fingers close.")

    def _a_person_looks(self) -> Iterator[Check]:
        for name, words in (
            ("exterior sides", "Exterior 1 looks from the arm's left and exterior 2 from its right."),
            ("wrist upright", "The wrist view has the fingers at its lower edge."),
        ):
            yield Check(name, "passed" if name in self._confirmed else "ask", words)

    def _policy_is_quick(self) -> Iterator[Check]:
        if self._policy is None:
            return
        status = self._policy.status()
        if status.connection != "ready":
            yield Check("policy", "failed", f"The policy is {status.connection}. {status.words}".strip())
            return
        while self._policy.busy or self._policy.take() is not None:  # what a run before this had asked
            if self._cancelled.is_set():
                yield Check("policy", "failed", "The self-test was cancelled.")
                return
            self._wait(0.01)
        latency = Latency()
        for number in range(NUM_TIMED + 1):
            began_s = self._clock.now()
            answer = self._ask(WARM_UP_TIMEOUT_S)
            if isinstance(answer, StudioError):
                yield Check("policy", "failed", str(answer))
                return
            if number:
                took_s = self._clock.now() - began_s
                latency.add(took_s)
                self._timed(took_s)
        p95_s = latency.percentile_s(95) or 0.0
        horizon = largest_gapless_horizon(p95_s)
        gapless = f"no pauses up to a horizon of {horizon}" if horizon else "slower than real time, with pauses"
        yield Check("policy", "passed", f"Answers within {p95_s:.2f} s (p95): {gapless}.")

    def _ask(self, timeout_s: float) -> StudioError | None:
        """One question, whose rows are not played."""
        assert self._policy is not None
        objects = tuple(self._objects())
        prompt = f"pick up the {objects[0].name if objects else 'object'}"
        self._policy.ask(
            Observation(-1, -1, self._arm.state(), self._cameras.views(), prompt, objects), timeout_s=timeout_s
        )
        while (answer := self._policy.take()) is None:
            self._wait(0.01)
            if self._cancelled.is_set():
                return ArmLost("The self-test was cancelled.")
        return answer if isinstance(answer, StudioError) else None

    def _go(
        self,
        row: NDArray[np.float64],
        seconds: float,
        runs_away: Callable[[ArmState], bool] = lambda _: False,
    ) -> None:
        """Move there through the filter; raises ArmLost when that says stop, or when it was cancelled."""
        pace = Pace(self._clock, 1 / ROWS_PER_SECOND)
        for _ in range(round(seconds * ROWS_PER_SECOND)):
            if pace.wait(self._cancelled) is None:
                raise ArmLost("The self-test was cancelled.")
            state = self._arm.state()
            if runs_away(state):
                return
            executed = self._mover.move(row, state)
            if executed.stop is not None:
                self._arm.stop()
                raise ArmLost(executed.stop.sentence)

    def _wait(self, seconds: float) -> None:
        self._clock.wait_until(self._clock.now() + seconds)

    @property
    def _middle(self) -> NDArray[np.float64]:
        limits = LIMITS[self._arm.model]
        return (limits.soft_min + limits.soft_max) / 2


def _moved(start: ArmState, now: ArmState, joint: int) -> float:
    return float(now.joint_positions[joint] - start.joint_positions[joint])


def _shifts(before: Views, after: Views) -> list[float]:
    """How much each view changed: wrist, exterior 1, exterior 2; mean of the differences, 0 to 255."""
    pairs = (
        (before.wrist, after.wrist),
        (before.exterior_1, after.exterior_1),
        (before.exterior_2, after.exterior_2),
    )
    return [float(np.abs(one.astype(np.int16) - other).mean()) for one, other in pairs]
