"""Orders that were passed on and not answered yet. Pages number theirs as they like; a bridge sees ours."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from backend.robots.page import Page
from studio.errors import Busy, StudioError
from studio.jobs import Failure

MAX_OPEN = 64
"""Unanswered orders of one page: twelve seconds of heartbeats."""


class Inquiry:
    """An order of the server's own, for somebody who asked over HTTP: stands where a page stands, and takes one answer.

    Lives on the event loop's thread.
    """

    def __init__(self) -> None:
        self._answered: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    def tell(self, message: dict[str, Any]) -> None:
        """The robot's answer."""
        error = message.get("error")
        self.answer(None, Failure.model_validate(error).error() if error else None, message.get("value"))

    def answer(self, number: object, error: StudioError | None, value: object = None) -> None:
        """An answer, or why there will be none."""
        if self._answered.done():
            return
        if error is not None:
            self._answered.set_exception(error)
        else:
            self._answered.set_result(value)

    async def value(self) -> Any:
        """What was answered. Raises StudioError, what the robot said or that it left."""
        return await self._answered


@dataclass(frozen=True)
class OpenOrder:
    """Who asked, and what they call it."""

    page: Page | Inquiry
    number: object
    command: object


class OpenOrders:
    """Of one robot."""

    def __init__(self) -> None:
        self._open: dict[int, OpenOrder] = {}
        self._next = 0

    def add(self, order: OpenOrder) -> int:
        """Our number for it.

        Raises:
            Busy: the page has too many open. Its first `stop` always passes.
        """
        own = [other.command for other in self._open.values() if other.page is order.page]
        if len(own) >= MAX_OPEN and (order.command != "stop" or "stop" in own):
            raise Busy(f"{len(own)} orders of this page are not answered yet.", hint="Wait for their answers.")
        self._next += 1
        self._open[self._next] = order
        return self._next

    def close(self, number: object) -> OpenOrder | None:
        """The order that an answer is for; none where nobody waits for it any more."""
        return self._open.pop(number, None) if isinstance(number, int) else None

    def close_all(self) -> list[OpenOrder]:
        """Those that nobody will answer."""
        orders = list(self._open.values())
        self._open.clear()
        return orders

    def forget(self, page: Page | Inquiry) -> None:
        """Whoever asked left."""
        self._open = {number: order for number, order in self._open.items() if order.page is not page}
