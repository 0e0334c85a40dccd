"""Telling everybody: numbered changes to every subscriber, previews to those who look, and that the library changed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from typing import Any, Literal

from studio.events import Delta, Snapshot, State
from studio.wire import pack_frame

MAX_BACKLOG = 1000
"""Changes that a subscriber may leave unread; then it is dropped, and starts again from a snapshot."""

MAX_NEWEST = 16
"""Topics whose newest preview is kept for whoever looks next: more than jobs can run at a time."""

MAX_FRAME_BACKLOG = 4
"""Unread items above which previews are skipped for a slow subscriber: the next one is better anyway."""


class Subscription:
    """One listener's queue: changes, binary frames, and None where it starts again from a snapshot.

    `lagged` is set when it fell too far behind to be told any more.
    """

    def __init__(self) -> None:
        self.items: asyncio.Queue[Delta | bytes | None] = asyncio.Queue()
        self.wanted: frozenset[str] = frozenset()
        self.lagged = False


class Broadcast:
    """The one source of event numbers. Lives on the event loop's thread."""

    def __init__(self) -> None:
        self.seq = 0
        self._subscriptions: set[Subscription] = set()
        self._newest: dict[str, bytes] = {}

    @property
    def num_subscribers(self) -> int:
        """Open subscriptions."""
        return len(self._subscriptions)

    @contextmanager
    def subscribe(self) -> Generator[Subscription]:
        """Everything published from now on."""
        subscription = Subscription()
        self._subscriptions.add(subscription)
        try:
            yield subscription
        finally:
            self._subscriptions.discard(subscription)

    def want(self, subscription: Subscription, topics: frozenset[str]) -> None:
        """Which binary topics a subscriber shows; of a new one it gets the newest frame at once."""
        for topic in topics - subscription.wanted:
            if topic in self._newest:
                subscription.items.put_nowait(self._newest[topic])
        subscription.wanted = topics

    def is_wanted(self, topic: str) -> bool:
        """Whether anybody shows a topic."""
        return any(topic in subscription.wanted for subscription in self._subscriptions)

    def publish(self, key: Literal["jobs", "system"], value: dict[str, Any] | None, id: str | None = None) -> None:
        """One change, to everybody."""
        self.seq += 1
        delta = Delta(seq=self.seq, key=key, id=id, value=value)
        for subscription in list(self._subscriptions):
            if subscription.items.qsize() >= MAX_BACKLOG:
                subscription.lagged = True
                self._subscriptions.discard(subscription)
            subscription.items.put_nowait(delta)

    def start_over(self) -> None:
        """More has changed than is told one by one: everybody starts again from a snapshot.

        That has a number too, so that no snapshot from before is taken for one from after.
        """
        self.seq += 1
        for subscription in self._subscriptions:
            subscription.items.put_nowait(None)

    def publish_frame(self, topic: str, payload: bytes) -> None:
        """One binary frame, to those who want its topic and keep up."""
        self._newest.pop(topic, None)
        frame = self._newest[topic] = pack_frame(topic, payload)
        if len(self._newest) > MAX_NEWEST:
            del self._newest[next(iter(self._newest))]
        for subscription in self._subscriptions:
            if topic in subscription.wanted and subscription.items.qsize() < MAX_FRAME_BACKLOG:
                subscription.items.put_nowait(frame)


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
