"""From what a policy wants to what may be done. Everything that reaches an arm went through here."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from robot.faults import StopReason
from robot.observation import NUM_JOINTS, ROW_WIDTH, ROWS_PER_SECOND, ArmState
from robot.safety.limits import JointLimits
from robot.safety.steps import braking_step, largest_change, largest_step


@dataclass(frozen=True)
class Course:
    """The last two executed rows; the same row twice is an arm at rest.

    Attributes:
        before, last: float64 [8], executed.
        wanted: float64 [8], what `last` was executed for.
    """

    before: NDArray[np.float64]
    last: NDArray[np.float64]
    wanted: NDArray[np.float64]

    @classmethod
    def at_rest(cls, row: NDArray[np.float64]) -> Self:
        """At a row, float64 [8]."""
        return cls(row, row, row)

    def then(self, wanted: NDArray[np.float64], row: NDArray[np.float64]) -> Course:
        """One row further."""
        return Course(self.last, row, wanted)

    @property
    def step(self) -> NDArray[np.float64]:
        """The joints' last step, rad, float64 [7]."""
        return (self.last - self.before)[:NUM_JOINTS]


WINDOW_TICKS = 2 * ROWS_PER_SECOND
MAX_RATE = 0.1
"""An FR3's limits clamp no tick of a recorded DROID episode, a Panda's 3 %: at a tenth, policy and arm do not fit."""


MAX_ACCELERATION_RATE = 0.5
"""Of targets that ask for more acceleration than there is: the scripted policy's chunks, which begin abruptly, come to
a tenth, and targets that alternate on all joints to all of them."""


class ClampRate:
    """The share of joint targets that were clamped over the last two seconds; what has not been played counts as free.

    21 of the 30 × 7 are a tenth, and the 22nd is too many.
    """

    def __init__(self, max_rate: float = MAX_RATE) -> None:
        self._counts: deque[int] = deque(maxlen=WINDOW_TICKS)
        self._max_rate = max_rate

    def add(self, joints: NDArray[np.bool_]) -> None:
        """One tick's clamped joints, bool [7]."""
        self._counts.append(int(np.count_nonzero(joints)))

    def clear(self) -> None:
        """Forget: a new epoch begins."""
        self._counts.clear()

    @property
    def rate(self) -> float:
        """Between 0 and 1."""
        return sum(self._counts) / (WINDOW_TICKS * NUM_JOINTS)

    @property
    def exceeded(self) -> bool:
        """Whether the arm must stop."""
        return self.rate > self._max_rate


MAX_LEAD_RAD = 0.3
"""A target further than this from where the arm is gets clamped. Recorded DROID commands lead by 0.27 at most."""

STOP_LEAD_RAD = 0.6
"""A target further than this is not meant for this arm, or the arm does not follow."""


LARGEST = 1000.0
"""Of a row's numbers, rad: no arm's; differences of what is far larger are not finite any more."""

ROUNDING_RAD = 1e-12


@dataclass(frozen=True)
class Clamps:
    """Which joints were held back, bool [7] each.

    Attributes:
        soft: by the position limits.
        lead: by how far the target may be ahead of the arm.
        step: by the velocity limit.
        acceleration: by how fast it may gather or lose velocity, which it also needs in order to rest at a soft limit.
    """

    soft: NDArray[np.bool_]
    lead: NDArray[np.bool_]
    step: NDArray[np.bool_]
    acceleration: NDArray[np.bool_]

    @property
    def joints(self) -> NDArray[np.bool_]:
        """By any of them."""
        return self.misfits | self.acceleration

    @property
    def misfits(self) -> NDArray[np.bool_]:
        """By a limit that a policy for this arm hardly ever meets; those of acceleration smooth ordinary beginnings."""
        return self.soft | self.lead | self.step


NO_CLAMPS = Clamps(*(np.zeros(NUM_JOINTS, np.bool_) for _ in range(4)))


@dataclass(frozen=True)
class Executed:
    """What may be done instead of what was wanted.

    Attributes:
        row: float64 [8]; where it says stop, the row that was executed last.
        clamps: what was changed on the way.
        stop: why the arm must stop instead; the row may not be sent then.
    """

    row: NDArray[np.float64]
    clamps: Clamps = NO_CLAMPS
    stop: StopReason | None = None


def check_rows(rows: NDArray[np.float64]) -> StopReason | None:
    """Why a whole chunk may not be played: it is not [n ≥ 1, 8], or holds what is not finite, or beyond all reason."""
    if rows.ndim != 2 or rows.shape[0] < 1 or rows.shape[1] != ROW_WIDTH:
        return StopReason.WRONG_WIDTH
    return None if (np.abs(rows) <= LARGEST).all() else StopReason.NOT_FINITE


def check_state(state: ArmState, limits: JointLimits) -> StopReason | None:
    """Why an arm in this state must stop."""
    positions, velocities = state.joint_positions, state.joint_velocities
    if not ((positions >= limits.position_min) & (positions <= limits.position_max)).all():
        return StopReason.BEYOND_POSITION
    return None if (np.abs(velocities) <= limits.velocity).all() else StopReason.BEYOND_VELOCITY


def filter_target(
    wanted: NDArray[np.float64],
    course: Course,
    state: ArmState,
    limits: JointLimits,
    *,
    period_s: float = 1 / ROWS_PER_SECOND,
) -> Executed:
    """The row that may be executed for a wanted one.

    The result lies within the soft limits, or between them and the last row where that was outside; its step is never
    longer than the velocity limits allow, and differs from the step before by no more than the acceleration limits
    allow. Rows that keep to that are executed as they are. The joint that does not comes after its target and comes to
    rest there, not beyond it, where it can brake so soon.

    A target is at most 0.3 rad from the arm. The row is no further, or is braking, or comes back.

    Where an arm that was pushed makes it impossible to keep all of these, the velocity limits are kept, then the soft
    ones.

    Args:
        wanted: [8] joint positions in rad and the gripper; anything may come here.
        course: the rows before; when motion begins, at rest where the arm is.
        state: the newest measurement.
        limits: of the connected model.
        period_s: between two rows.
    """
    if wanted.shape != (ROW_WIDTH,):
        return Executed(course.last, stop=StopReason.WRONG_WIDTH)
    if not np.isfinite(wanted).all():
        return Executed(course.last, stop=StopReason.NOT_FINITE)
    measured = state.joint_positions
    stop = check_state(state, limits)
    if stop is None and (np.abs(wanted[:NUM_JOINTS] - measured) > STOP_LEAD_RAD).any():
        stop = StopReason.TOO_FAR
    if stop is not None:
        return Executed(course.last, stop=stop)

    last, target = course.last[:NUM_JOINTS], wanted[:NUM_JOINTS]
    allowed = np.clip(target, limits.soft_min, limits.soft_max)
    near = np.clip(allowed, measured - MAX_LEAD_RAD, measured + MAX_LEAD_RAD)
    down, up = _velocity_steps(limits, last, measured, period_s)
    smooth = _smooth_step(near, course, limits, period_s)
    step = np.clip(smooth, -down, up)
    reached = np.where(np.abs(last + step - near) < ROUNDING_RAD, near, last + step)
    if (np.abs(reached - measured) > STOP_LEAD_RAD).any():
        return Executed(course.last, stop=StopReason.TOO_FAR)

    row = np.append(reached, np.clip(wanted[NUM_JOINTS], 0.0, 1.0))
    too_fast = (step != smooth) & (reached != near)
    clamps = Clamps(allowed != target, near != allowed, too_fast, acceleration=(reached != near) & ~too_fast)
    return Executed(row, clamps)


def _smooth_step(
    target: NDArray[np.float64], course: Course, limits: JointLimits, period_s: float
) -> NDArray[np.float64]:
    """The step towards a target that the acceleration limits allow, and after which the soft limits can be kept."""
    last, before = course.last[:NUM_JOINTS], course.step
    change = largest_change(limits, period_s)
    # A target that moves on is followed at its speed, as far as that is the arm's already: what jumped, or turned
    # around, is taken to stay where it is.
    moving = _between(np.zeros(NUM_JOINTS), target - course.wanted[:NUM_JOINTS], before)
    step = moving + braking_step(target - last - moving, change)
    step = np.clip(step, before - change, before + change)
    below, above = np.maximum(last - limits.soft_min, 0.0), np.maximum(limits.soft_max - last, 0.0)
    return np.clip(step, -braking_step(below, change), braking_step(above, change))


def _between(low: NDArray[np.float64], middle: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    """The second of three numbers, in order."""
    return np.median(np.stack([low, middle, high]), axis=0)


def _velocity_steps(
    limits: JointLimits, last: NDArray[np.float64], measured: NDArray[np.float64], period_s: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    # The command runs ahead of the arm: each of the two must be allowed to move so.
    commanded, real = largest_step(limits, last, period_s), largest_step(limits, measured, period_s)
    return np.minimum(commanded[0], real[0]), np.minimum(commanded[1], real[1])
