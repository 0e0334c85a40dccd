"""The clock of a refinement: it stands while every chain waits in the queue."""

from __future__ import annotations

import time


class WorkingTime:
    """Seconds in which somebody works.

    Args:
        spent_s: counted before.
    """

    def __init__(self, spent_s: float) -> None:
        self._spent_s = spent_s
        self._working: set[object] = set()
        self._since = 0.0

    @property
    def seconds(self) -> float:
        """Until now."""
        return self._spent_s + (time.monotonic() - self._since if self._working else 0.0)

    def tell(self, who: object, *, works: bool) -> None:
        """Somebody works from now on, or does not any more."""
        self._spent_s, self._since = self.seconds, time.monotonic()
        if works:
            self._working.add(who)
        else:
            self._working.discard(who)
