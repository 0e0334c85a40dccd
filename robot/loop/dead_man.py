"""The heartbeat of the page that is in control."""

from __future__ import annotations

TIMEOUT_S = 0.5
"""The page beats five times a second."""


class DeadMan:
    """Lost when a page that has begun to beat falls silent. It does not replace the button on the wall.

    Args:
        required: whether nothing may move before the first beat.
    """

    def __init__(self, *, required: bool, timeout_s: float = TIMEOUT_S) -> None:
        self._required = required
        self._timeout_s = timeout_s
        self._last_s: float | None = None

    def beat(self, now_s: float) -> None:
        """The page is there."""
        self._last_s = now_s

    def release(self) -> None:
        """The page gave control back, and need not beat any more."""
        self._last_s = None

    def lost(self, now_s: float) -> bool:
        """Whether nobody is holding on."""
        return self._required if self._last_s is None else now_s - self._last_s > self._timeout_s
