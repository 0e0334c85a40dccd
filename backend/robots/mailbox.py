"""What waits to be sent down one websocket, where some of it may be left out and some may not."""

from __future__ import annotations

import asyncio

MAX_WAITING = 1000
"""Messages that must arrive and may wait; whoever leaves more of them unread is let go."""


class Mailbox:
    """Lives on the event loop's thread. `lagged` is set when too much was left unread."""

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
