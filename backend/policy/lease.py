"""Which sessions have the policy, and with it the device."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import structlog

from studio.errors import Busy

log = structlog.get_logger("orrery.policy")

IDLE_S = 10.0
"""After the last answer. A robot in motion asks every one or two seconds, over a slow policy every four or five;
whoever looks at a chunk for longer before it is played can wait for a step that has been begun meanwhile."""


class PolicyLease:
    """Which sessions the device is kept free for: from a first question until it ends, or asks nothing for a while.

    Several share it fairly: each has one question open at a time, and the worker answers the oldest first. Lives on the
    event loop's thread.

    Args:
        on_held: told True when the device is to be kept free, and False when it is not any more.
        idle_s: how long it is kept free for a session that asks nothing.
        max_sessions: how many may have it at the same time; each waits for the others' answers.
    """

    def __init__(self, on_held: Callable[[bool], None], idle_s: float = IDLE_S, max_sessions: int = 1) -> None:
        self._on_held = on_held
        self._idle_s = idle_s
        self._max_sessions = max_sessions
        self._idling: dict[object, asyncio.TimerHandle | None] = {}
        self._returning: asyncio.TimerHandle | None = None  # while it is kept for a session that broke off
        self._held = False

    def take(self, session: object) -> None:
        """A session asks something.

        Raises:
            Busy: as many others have it as may.
        """
        if session not in self._idling and len(self._idling) >= self._max_sessions:
            who = "Another session is" if self._max_sessions == 1 else f"{self._max_sessions} other sessions are"
            raise Busy(
                f"{who} using the policy.",
                hint=f"It becomes free when a session ends or is idle for {self._idle_s:g} s.",
            )
        self._forget_returning()
        self._wait(session, None)
        if not self._held:
            self._held = True
            log.info("policy_lease_taken")
            self._on_held(True)

    def answered(self, session: object) -> None:
        """What it asked has come to an end; the next question is waited for."""
        if session in self._idling:
            self._wait(session, self._later(lambda: self.leave(session, returns=False)))

    def leave(self, session: object, *, returns: bool) -> None:
        """A session has ended.

        Args:
            returns: it gave up on an answer: it may come back at once, and then must not wait for a step again.
        """
        if session not in self._idling:
            return
        self._wait(session, None)
        del self._idling[session]
        if returns:
            self._forget_returning()
            self._returning = self._later(self._nobody_returned)
        elif not self._idling and self._returning is None:
            self.clear()

    def clear(self) -> None:
        """Nobody has it."""
        for session in list(self._idling):
            self._wait(session, None)
        self._idling.clear()
        self._forget_returning()
        if self._held:
            self._held = False
            log.info("policy_lease_free")
            self._on_held(False)

    def _nobody_returned(self) -> None:
        self._returning = None
        if not self._idling:
            self.clear()

    def _wait(self, session: object, timer: asyncio.TimerHandle | None) -> None:
        if (running := self._idling.get(session)) is not None:
            running.cancel()
        self._idling[session] = timer

    def _later(self, act: Callable[[], None]) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(self._idle_s, act)

    def _forget_returning(self) -> None:
        if self._returning is not None:
            self._returning.cancel()
            self._returning = None
