"""One page that looks at a robot, and what waits to be sent to it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from studio.errors import StudioError
from studio.jobs import Failure

MAX_WAITING = 1000
"""Messages that must arrive and may wait; whoever leaves more of them unread is let go."""


class Outbox:
    """What waits to be sent down one websocket, where some of it may be left out and some may not.

    Lives on the event loop's thread. `lagged` is set when too much was left unread.
    """

    def __init__(self) -> None:
        self.lagged = False
        self._items: asyncio.Queue[str | bytes] = asyncio.Queue()

    def __len__(self) -> int:
        """How many wait."""
        return self._items.qsize()

    def put(self, item: str | bytes) -> None:
        """It must arrive."""
        if len(self) >= MAX_WAITING:
            self.lagged = True
        else:
            self._items.put_nowait(item)

    def offer(self, item: str | bytes, max_waiting: int) -> None:
        """It is left out for whoever has `max_waiting` others to read: the next one is better anyway."""
        if len(self) < max_waiting:
            self._items.put_nowait(item)

    async def get(self) -> str | bytes:
        """The next one, in order."""
        return await self._items.get()


class Page:
    """What is to be sent to it, and which pictures it shows. `wanted` holds families: `predicted` for `predicted/7`."""

    def __init__(self) -> None:
        self.outbox = Outbox()
        self.wanted: frozenset[str] = frozenset()

    def tell(self, message: dict[str, Any]) -> None:
        """A message that must arrive."""
        self.outbox.put(json.dumps(message))

    def answer(self, number: object, error: StudioError | None, value: object = None) -> None:
        """What became of something that it asked."""
        failure = Failure.of(error).model_dump(mode="json") if error is not None else None
        self.tell({"type": "answer", "id": number, "error": failure, "value": value})
