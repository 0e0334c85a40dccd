"""The one that tells the arm where to go: after the filter, and never without it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from robot.arms import Arm
from robot.clock import Clock
from robot.faults import StopReason
from robot.gripper import Closing, close_or_open
from robot.observation import NUM_JOINTS, ROWS_PER_SECOND, ArmState
from robot.playing import coast
from robot.safety import LIMITS, ClampRate, Course, Executed, filter_target
from robot.safety.filter import MAX_ACCELERATION_RATE

STOOD_AFTER_S = 1.75 / ROWS_PER_SECOND
"""Between two rows. One that is late comes sooner; where a tick was missed, the arm came to rest at its target."""


class Mover:
    """Remembers what was executed, so that the next row is limited against it.

    Raises ArmLost wherever the arm does.
    """

    def __init__(self, arm: Arm, clock: Clock, closing: Closing = "binary") -> None:
        self._arm = arm
        self._clock = clock
        self._limits = LIMITS[arm.model]
        self._closing: Closing = closing
        self._clamp_rate = ClampRate()
        self._jolt_rate = ClampRate(MAX_ACCELERATION_RATE)
        self._course = Course.at_rest(np.zeros(NUM_JOINTS + 1))
        self._sent_at_s = float("-inf")
        self._grip: float | None = None
        self._at_rest = True

    def begin(self, state: ArmState) -> None:
        """Motion starts where the arm is, whatever was executed before; what the gripper holds, it keeps."""
        if self._grip is None:
            self._grip = state.gripper_position
        self._course = Course.at_rest(np.append(state.joint_positions, self._grip))
        self._clamp_rate.clear()
        self._jolt_rate.clear()
        self._at_rest = False

    def move(self, wanted: NDArray[np.float64], state: ArmState) -> Executed:
        """Send what may be done of a wanted row; where it says stop, nothing was sent."""
        return self._send(wanted, state, self._closing)

    def coast(self, state: ArmState) -> Executed | None:
        """Decelerate; none when the arm is at rest already."""
        return None if self._at_rest else self._send(coast(self._course), state, "continuous")

    def imagine(self, wanted: NDArray[np.float64], state: ArmState) -> Executed:
        """What would be done from where the arm is, were it on that way already; nothing is sent."""
        here = np.append(state.joint_positions, state.gripper_position)
        return filter_target(wanted, Course(2 * here - wanted, here, here), state, self._limits)

    def rest(self) -> None:
        """Tell the arm once to come to rest where it is; what moves it next begins there."""
        if not self._at_rest:
            self._at_rest = True
            self._arm.hold()

    def stop(self) -> None:
        """Stop the arm."""
        self._at_rest = True
        self._arm.stop()

    def resting_row(self, state: ArmState) -> NDArray[np.float64]:
        """float64 [8], what the next chunk is entered from."""
        return np.append(state.joint_positions, state.gripper_position) if self._at_rest else self._course.last

    def _send(self, wanted: NDArray[np.float64], state: ArmState, closing: Closing) -> Executed:
        now_s = self._clock.now()
        if self._at_rest:
            self.begin(state)
        elif now_s - self._sent_at_s > STOOD_AFTER_S:
            self._course = Course.at_rest(self._course.last)
        executed = filter_target(wanted, self._course, state, self._limits)
        if executed.stop is not None:
            return executed
        last = self._course.last
        self._clamp_rate.add(executed.clamps.misfits)
        self._jolt_rate.add(executed.clamps.acceleration)
        if self._clamp_rate.exceeded or self._jolt_rate.exceeded:
            return replace(executed, row=last, stop=StopReason.CLAMP_RATE)
        row = executed.row
        self._grip = row[NUM_JOINTS] = close_or_open(row[NUM_JOINTS], last[NUM_JOINTS], closing)
        self._arm.set_target(row[:NUM_JOINTS], float(row[NUM_JOINTS]))
        self._course, self._sent_at_s = self._course.then(wanted, row), now_s
        return executed
