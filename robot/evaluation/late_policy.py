"""A clock that is turned by hand, and a policy whose answers take a set time on it, whatever the machine took."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event

import numpy as np
from numpy.typing import NDArray

from robot.chunk import ActionChunk
from robot.clock import Clock
from robot.observation import EXTERIOR_SIZE, WRIST_SIZE, Observation, Views
from robot.policy import PolicyStatus
from studio.errors import StudioError

Decide = Callable[[Observation], NDArray[np.float64]]
"""From what is seen to rows, float64 [n, 8]. May raise StudioError, which is then the answer."""


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
    """Black pictures, for a loop whose policy looks by itself, or not at all."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        wide, side = (np.zeros((height, width, 3), np.uint8) for width, height in (WRIST_SIZE, EXTERIOR_SIZE))
        self._pictures = wide, side, side

    def views(self) -> Views:
        """Of now."""
        return Views(self._clock.now(), *self._pictures)

    def close(self) -> None:
        """There is nothing to let go of."""


class LatePolicy:
    """A `robot.policy.Policy` that decides at once, and whose answer comes when the clock says so.

    Args:
        answers_after_s: on the loop's clock, from question to answer, whatever the machine took: of 0.4 s six rows of
            a chunk are over by then.
    """

    def __init__(self, clock: Clock, decide: Decide, answers_after_s: float) -> None:
        self._clock = clock
        self._decide = decide
        self._answers_after_s = answers_after_s
        self._due_s = 0.0
        self._waiting: ActionChunk | StudioError | None = None

    @property
    def busy(self) -> bool:
        """Whether an answer is on its way."""
        return self._waiting is not None

    def status(self) -> PolicyStatus:
        """Always there."""
        return PolicyStatus("ready", "in this process")

    def ask(self, observation: Observation) -> None:
        """Decide."""
        self._due_s = self._clock.now() + self._answers_after_s
        seen_s = min(observation.state.measured_at_s, observation.views.captured_at_s)
        try:
            rows = self._decide(observation)
        except StudioError as error:
            self._waiting = error
        else:
            self._waiting = ActionChunk(observation.tick, observation.epoch, seen_s, self._due_s, rows)

    def take(self) -> ActionChunk | StudioError | None:
        """The answer, once, when its time has come."""
        if self._waiting is None or self._clock.now() < self._due_s:
            return None
        answer, self._waiting = self._waiting, None
        return answer

    def close(self) -> None:
        """There is nothing to let go of."""
