"""Which session the device is kept free for: from its first question until it ends, or asks nothing for a while."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import structlog

from studio.errors import Busy

log = structlog.get_logger("orrery.policy")

IDLE_S = 10.0
"""After the last answer. A robot in motion asks every one or two seconds, over a slow policy every four or five;
whoever looks at a chunk for longer before it is played can wait for a step that has been begun meanwhile."""


class PolicyLane:
    """Lives on the event loop's thread.

    Args:
        on_held: told True when the device is to be kept free, and False when it is not any more.
        idle_s: how long it is kept free for a session that asks nothing.
    """

    def __init__(self, on_held: Callable[[bool], None], idle_s: float = IDLE_S) -> None:
        self._on_held = on_held
        self._idle_s = idle_s
        self._holder: object = None
        self._held = False
        self._idling: asyncio.TimerHandle | None = None

    def take(self, session: object) -> None:
        """A session asks something.

        Raises:
            Busy: another one has it. Two would wait for each other's answers.
        """
        if self._holder is not None and self._holder is not session:
            raise Busy(
                "Another session has the policy.",
                hint=f"It is free again when that one ends, or has asked nothing for {self._idle_s:g} s.",
            )
        self._stop_idling()
        self._holder = session
        if not self._held:
            self._held = True
            log.info("policy_lane_taken")
            self._on_held(True)

    def answered(self, session: object) -> None:
        """What it asked has come to an end; the next question is waited for."""
        if self._holder is session:
            self._stop_idling()
            self._idling = asyncio.get_running_loop().call_later(self._idle_s, self.clear)

    def leave(self, session: object, *, returns: bool) -> None:
        """A session has ended.

        Args:
            returns: it gave up on an answer: it may come back at once, and then must not wait for a step again.
        """
        if self._holder is not session:
            return
        if returns:
            self.answered(session)
            self._holder = None
        else:
            self.clear()

    def clear(self) -> None:
        """Nobody has it."""
        self._stop_idling()
        self._holder = None
        if self._held:
            self._held = False
            log.info("policy_lane_free")
            self._on_held(False)

    def _stop_idling(self) -> None:
        if self._idling is not None:
            self._idling.cancel()
            self._idling = None
