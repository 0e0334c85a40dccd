"""Telling pages that data sets or tunings are others now, and how far those are that run."""

from __future__ import annotations

from typing import Any

from backend.broadcast import Broadcast
from studio.tuning.tunings import TuningProgress


class TuningNews:
    """Counts changes, and has the progress of what runs.

    Attributes:
        revision: rises with every change.
        progress: of each tuning that runs or waits, by id.
    """

    def __init__(self, broadcast: Broadcast) -> None:
        self._broadcast = broadcast
        self.revision = 0
        self.progress: dict[str, TuningProgress] = {}

    def changed(self) -> None:
        """Tell every page that rows or files changed."""
        self.revision += 1
        self._broadcast.publish("system", {"tuning_revision": self.revision, **self._told()})

    def advanced(self, tuning_id: str, progress: TuningProgress | None) -> None:
        """Tell how far a tuning is; none when it has ended."""
        if progress is None:
            self.progress.pop(tuning_id, None)
        else:
            self.progress[tuning_id] = progress
        self._broadcast.publish("system", self._told())

    def _told(self) -> dict[str, Any]:
        return {"tunings": {name: one.model_dump(mode="json") for name, one in self.progress.items()}}
