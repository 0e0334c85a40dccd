"""An arm that is a recording: it goes where it went, whatever it is told. For looking at a policy without an arm."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from robot.clock import Clock
from robot.observation import NUM_JOINTS, ROWS_PER_SECOND, ArmState
from robot.recording.reader import Episode
from robot.safety import ArmModel


class ReplayArm:
    """Plays an episode's states at fifteen a second from the moment that it is made, and rests at the last one.

    Args:
        model: of the arm that was recorded.
    """

    def __init__(self, episode: Episode, clock: Clock, model: ArmModel = "panda") -> None:
        self._states = episode.states
        self._velocities = np.gradient(self._states[:, :NUM_JOINTS], axis=0) * ROWS_PER_SECOND
        self._clock = clock
        self._model: ArmModel = model
        self._began_s = clock.now()

    @property
    def model(self) -> ArmModel:
        """The recorded arm's."""
        return self._model

    def state(self) -> ArmState:
        """Where it was at this time of the episode."""
        now_s = self._clock.now()
        frame = min(int((now_s - self._began_s) * ROWS_PER_SECOND), len(self._states) - 1)
        rests = frame == len(self._states) - 1
        velocities = np.zeros(NUM_JOINTS) if rests else self._velocities[frame]
        return ArmState(
            now_s, self._states[frame, :NUM_JOINTS].copy(), velocities, float(self._states[frame, NUM_JOINTS])
        )

    def set_target(self, joint_positions: NDArray[np.float64], gripper_position: float) -> None:
        """A recording goes where it went."""

    def hold(self) -> None:
        """A recording does not."""

    def stop(self) -> None:
        """A recording does not."""

    def recover(self) -> None:
        """There is nothing to recover from."""

    def home(self) -> None:
        """Begin again."""
        self._began_s = self._clock.now()

    def close(self) -> None:
        """There is nothing to let go of."""
