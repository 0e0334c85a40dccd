"""How long a running job still takes, from the steps it has taken."""

from __future__ import annotations

import time

SMOOTHING = 0.2
"""Weight of the newest step: about the last ten steps count."""


class Pace:
    """Seconds per step of one job, smoothed. The first report only starts the clock: it holds the prompt's prefill."""

    def __init__(self) -> None:
        self._step: int | None = None
        self._at = 0.0
        self._seconds_per_step: float | None = None

    def seconds_left(self, step: int, steps: int, now: float | None = None) -> float | None:
        """Note that `step` of `steps` are done; returns the estimate, or none before two reports."""
        now = time.monotonic() if now is None else now
        if self._step is not None and step > self._step:
            latest = (now - self._at) / (step - self._step)
            known = self._seconds_per_step
            self._seconds_per_step = latest if known is None else known + SMOOTHING * (latest - known)
        if self._step is None or step > self._step:
            self._step, self._at = step, now
        return None if self._seconds_per_step is None else self._seconds_per_step * (steps - step)

    def rest(self) -> None:
        """The job pauses, or goes on after a pause: the time until its next report is no step's."""
        self._step = None
