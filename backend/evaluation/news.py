"""Telling pages that benchmarks, runs or verdicts are others now."""

from __future__ import annotations

from backend.broadcast import Broadcast


class EvaluationNews:
    """Counts changes.

    Attributes:
        revision: rises with every change.
    """

    def __init__(self, broadcast: Broadcast) -> None:
        self._broadcast = broadcast
        self.revision = 0

    def changed(self) -> None:
        """Tell every page."""
        self.revision += 1
        self._broadcast.publish("system", {"evaluation_revision": self.revision})
