"""Taking the time of one job: how long its steps took, and what came before and after them."""

from __future__ import annotations

import time
from dataclasses import dataclass

from studio.jobs import Progress
from studio.queue import Estimate


@dataclass(frozen=True)
class Measured:
    """Seconds of a finished job.

    Attributes:
        seconds_per_step: of each step that its request asks for.
        seconds_around: before the first and after the last.
    """

    seconds_per_step: float
    seconds_around: float


class Stopwatch:
    """Runs from the moment that a job is started.

    Args:
        num_steps: that its request asks for.
        expected: how long it would take, by what was measured before.
    """

    def __init__(self, num_steps: int, expected: Estimate, now: float | None = None) -> None:
        self._num_steps = num_steps
        self._expected = expected
        self._began = _time(now)
        self._first: tuple[int, float] | None = None
        self._last: tuple[int, float] | None = None
        self._is_void = False
        self._is_waiting = False
        self.seconds_left = expected.seconds

    def note(self, progress: Progress, now: float | None = None) -> Progress:
        """Take the time of a report, and let it say how long the job still takes, if nobody knows better."""
        at = _time(now)
        if progress.phase == "upsampling":
            self._is_waiting = True
            return progress
        if self._is_waiting:
            self._is_waiting, self._began = False, at
        if progress.phase == "denoising":
            self._first = self._first or (progress.step, at)
            self._last = (progress.step, at)
        if progress.seconds_left is None and self._expected.seconds is not None and not self._is_void:
            progress = progress.model_copy(update={"seconds_left": self._expected_left(progress, at)})
        self.seconds_left = progress.seconds_left
        return progress

    def pause(self) -> None:
        """The job rests: its time says nothing any more."""
        self._is_void = True

    def measured(self, num_steps: int, now: float | None = None) -> Measured | None:
        """What the job took, at its end; none where it was interrupted.

        Args:
            num_steps: that it has had; those of a clip in chunks are more than its request says.
        """
        if self._is_void or not self._num_steps:
            return None
        total = _time(now) - self._began
        if self._first is None or self._last is None or self._last[0] <= self._first[0]:
            return Measured(total / self._num_steps, 0.0)
        of_one = (self._last[1] - self._first[1]) / (self._last[0] - self._first[0])
        denoising = min(of_one * num_steps, total)
        return Measured(denoising / self._num_steps, total - denoising)

    def _expected_left(self, progress: Progress, at: float) -> float | None:
        if self._expected.seconds is None:
            return None
        if self._expected.basis == "similar" and progress.phase == "decoding":
            return None
        return max(0.0, self._expected.seconds - (at - self._began))


def _time(now: float | None) -> float:
    return time.monotonic() if now is None else now
