"""Saying that the library has changed: a page that shows a part of it reads that part again."""

from __future__ import annotations

from backend.broadcast import Broadcast


class LibraryNews:
    """A number that rises with every change. Lives on the event loop's thread."""

    def __init__(self, broadcast: Broadcast) -> None:
        self._broadcast = broadcast
        self.revision = 0

    def changed(self, *, of_jobs: bool = False) -> None:
        """Tell every page.

        Args:
            of_jobs: jobs say something else of their results now, too: everybody reads them again.
        """
        self.revision += 1
        self._broadcast.publish("system", {"library_revision": self.revision})
        if of_jobs:
            self._broadcast.start_over()
