"""From what a policy wants to what may be done. Everything that reaches an arm went through here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robot.faults import StopReason
from robot.observation import NUM_JOINTS, ROW_WIDTH, ROWS_PER_SECOND, ArmState
from robot.safety.limits import JointLimits
from robot.safety.velocity import largest_step

MAX_LEAD_RAD = 0.3
"""A target further than this from where the arm is gets clamped. Recorded DROID commands lead by 0.27 at most."""

STOP_LEAD_RAD = 0.6
"""A target further than this is not meant for this arm, or the arm does not follow."""


@dataclass(frozen=True)
class Clamps:
    """Which joints were held back, bool [7] each.

    Attributes:
        soft: by the position limits.
        lead: by how far the target may be ahead of the arm.
        step: by the velocity limit.
    """

    soft: NDArray[np.bool_]
    lead: NDArray[np.bool_]
    step: NDArray[np.bool_]

    @property
    def joints(self) -> NDArray[np.bool_]:
        """By any of them."""
        return self.soft | self.lead | self.step


NO_CLAMPS = Clamps(*(np.zeros(NUM_JOINTS, np.bool_) for _ in range(3)))


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
    """Why a whole chunk may not be played: it is not [n ≥ 1, 8], or holds what is not finite."""
    if rows.ndim != 2 or rows.shape[0] < 1 or rows.shape[1] != ROW_WIDTH:
        return StopReason.WRONG_WIDTH
    return None if np.isfinite(rows).all() else StopReason.NOT_FINITE


def check_state(state: ArmState, limits: JointLimits) -> StopReason | None:
    """Why an arm in this state must stop."""
    positions, velocities = state.joint_positions, state.joint_velocities
    if not ((positions >= limits.position_min) & (positions <= limits.position_max)).all():
        return StopReason.BEYOND_POSITION
    return None if (np.abs(velocities) <= limits.velocity).all() else StopReason.BEYOND_VELOCITY


def filter_target(
    wanted: NDArray[np.float64],
    last_executed: NDArray[np.float64],
    state: ArmState,
    limits: JointLimits,
    *,
    period_s: float = 1 / ROWS_PER_SECOND,
) -> Executed:
    """The row that may be executed for a wanted one.

    The result lies within the soft limits, or between them and the last row where that was outside; it is never further
    from the last row than the velocity limits allow in one period; it is at most 0.3 rad from the arm, or no further
    than the last row was and on its way there as fast as it may.

    Args:
        wanted: [8] joint positions in rad and the gripper; anything may come here.
        last_executed: float64 [8], the row before; when motion begins, where the arm is.
        state: the newest measurement.
        limits: of the connected model.
        period_s: between two rows.
    """
    if wanted.shape != (ROW_WIDTH,):
        return Executed(last_executed, stop=StopReason.WRONG_WIDTH)
    if not np.isfinite(wanted).all():
        return Executed(last_executed, stop=StopReason.NOT_FINITE)
    measured = state.joint_positions
    stop = check_state(state, limits)
    if stop is None and (np.abs(wanted[:NUM_JOINTS] - measured) > STOP_LEAD_RAD).any():
        stop = StopReason.TOO_FAR
    if stop is not None:
        return Executed(last_executed, stop=stop)

    last = last_executed[:NUM_JOINTS]
    target = wanted[:NUM_JOINTS]
    allowed = np.clip(target, limits.soft_min, limits.soft_max)
    near = np.clip(allowed, measured - MAX_LEAD_RAD, measured + MAX_LEAD_RAD)
    down, up = _steps(limits, last, measured, period_s)
    reached = np.clip(near, last - down, last + up)
    if (np.abs(reached - measured) > STOP_LEAD_RAD).any():
        return Executed(last_executed, stop=StopReason.TOO_FAR)

    row = np.append(reached, np.clip(wanted[NUM_JOINTS], 0.0, 1.0))
    return Executed(row, Clamps(soft=allowed != target, lead=near != allowed, step=reached != near))


def _steps(
    limits: JointLimits, last: NDArray[np.float64], measured: NDArray[np.float64], period_s: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    # The command runs ahead of the arm: each of the two must be allowed to move so.
    commanded, real = largest_step(limits, last, period_s), largest_step(limits, measured, period_s)
    return np.minimum(commanded[0], real[0]), np.minimum(commanded[1], real[1])
