"""Time, always handed in: seconds of the monotonic clock, and ticks on absolute deadlines."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Protocol


class Clock(Protocol):
    """Where a program has its time from; tests hand in one that they set themselves."""

    def now(self) -> float:
        """Seconds of the monotonic clock."""
        ...

    def wait_until(self, deadline_s: float, wake: threading.Event | None = None) -> None:
        """Return at a moment, or as soon as `wake` is set."""
        ...


class MonotonicClock:
    """The machine's own."""

    def now(self) -> float:
        """Seconds since some moment in the past; never goes back."""
        return time.monotonic()

    def wait_until(self, deadline_s: float, wake: threading.Event | None = None) -> None:
        """Sleep; an already set event returns at once."""
        left_s = deadline_s - time.monotonic()
        if wake is not None:
            wake.wait(max(0.0, left_s))
        elif left_s > 0:
            time.sleep(left_s)


@dataclass(frozen=True)
class Tick:
    """One tick of a loop.

    Attributes:
        number: of its deadline since the start; numbers that were missed are left out.
        due_s, began_s: seconds of the monotonic clock.
        num_missed: deadlines that passed unused since the tick before.
    """

    number: int
    due_s: float
    began_s: float
    num_missed: int = 0

    @property
    def lateness_s(self) -> float:
        """Seconds after the deadline."""
        return max(0.0, self.began_s - self.due_s)


class Pace:
    """Deadlines at start + n × period. A tick that comes too late is counted and never caught up.

    With a period of 0.1 s from 0 and a tick that lasts until 0.25, the next ticks are those of 0.2 (late by 0.05, for
    its time is not over) and 0.3; one that lasts until 0.35 skips 0.2 and begins that of 0.3.
    """

    def __init__(self, clock: Clock, period_s: float) -> None:
        self._clock = clock
        self._period_s = period_s
        self._start_s = clock.now()
        self._number = -1

    def wait(self, wake: threading.Event | None = None) -> Tick | None:
        """The next tick, when its time has come; none when `wake` was set before."""
        number = max(self._number + 1, int((self._clock.now() - self._start_s) / self._period_s + 1e-9))
        due_s = self._start_s + number * self._period_s
        self._clock.wait_until(due_s, wake)
        began_s = self._clock.now()
        if began_s < due_s - 1e-9:
            return None
        num_missed, self._number = number - self._number - 1, number
        return Tick(number, due_s, began_s, num_missed)
