"""What a page begins with: drawn once for all who ask at the same moment, as after a restart all open pages do."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

from backend.broadcast import Broadcast
from studio.events import Snapshot, State

MAX_AGE_S = 0.5
"""A state holds what nobody tells as a change: what waits knows how long, memory how much is free."""


class Snapshots:
    """The latest snapshot, as text. Lives on the event loop's thread.

    Args:
        broadcast: whose numbers it carries; a change makes the next one be drawn anew.
    """

    def __init__(self, broadcast: Broadcast) -> None:
        self._broadcast = broadcast
        self._drawing = asyncio.Lock()
        self._latest: tuple[int, str] | None = None
        self._drawn_at = 0.0

    async def current(self, draw: Callable[[], Awaitable[State]]) -> tuple[int, str]:
        """The number of the last change that it holds for certain, and a `studio.events.Snapshot` as JSON."""
        asked_at = self._broadcast.seq
        async with self._drawing:
            # Also one that others waited for, though changes came meanwhile: it is no older than what was asked for.
            if self._latest is None or self._latest[0] < asked_at or time.monotonic() - self._drawn_at > MAX_AGE_S:
                # The number is taken before the rows are read: a change in between is told again, and merging it
                # twice is harmless.
                seq, self._drawn_at = self._broadcast.seq, time.monotonic()
                self._latest = (seq, Snapshot(seq=seq, state=await draw()).model_dump_json())
            return self._latest
