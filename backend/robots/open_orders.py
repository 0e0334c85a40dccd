"""Orders that were passed on and not answered yet. Pages number theirs as they like; a bridge sees ours."""

from __future__ import annotations

from dataclasses import dataclass

from backend.robots.inquiry import Inquiry
from backend.robots.page import Page
from studio.errors import Busy

MAX_OPEN = 64
"""Unanswered orders of one page: twelve seconds of heartbeats."""


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
