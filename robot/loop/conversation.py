"""Questions and answers: what is asked, and which answers still count."""

from __future__ import annotations

from dataclasses import dataclass

from robot.chunk import ActionChunk
from robot.clock import Clock
from robot.faults import StopReason
from robot.observation import Observation
from robot.playing import Latency
from robot.policy.policy import Policy, PolicyStatus
from robot.safety import check_rows
from studio.errors import StudioError

REPLY_TIMEOUT_S = 5.0
"""An answer that is older than this when it comes is about a world that is no more."""

RETRY_AFTER_S = 0.5


@dataclass(frozen=True)
class Received:
    """What came back.

    Attributes:
        chunk: one that may be played.
        latency_s: of that one.
        stop: why the arm must stop instead.
        failure: why there was no answer.
        dropped: a code and a sentence, where an answer came and does not count.
    """

    chunk: ActionChunk | None = None
    latency_s: float | None = None
    stop: StopReason | None = None
    failure: StudioError | None = None
    dropped: tuple[str, str] | None = None


NOTHING = Received()


class Conversation:
    """With one policy, over all epochs."""

    def __init__(self, policy: Policy, clock: Clock, reply_timeout_s: float = REPLY_TIMEOUT_S) -> None:
        self._policy = policy
        self._clock = clock
        self._reply_timeout_s = reply_timeout_s
        self._not_before_s = float("-inf")
        self._lost_since_s: float | None = None
        self.latency = Latency()

    def status(self) -> PolicyStatus:
        """How it stands with the policy."""
        status = self._policy.status()
        if status.connection == "ready":
            self._lost_since_s = None
        elif self._lost_since_s is None:
            self._lost_since_s = self._clock.now()
        return status

    def disconnected_s(self) -> float:
        """How long the policy has been out of reach, as `status` saw it."""
        return 0.0 if self._lost_since_s is None else self._clock.now() - self._lost_since_s

    def may_ask(self) -> bool:
        """Whether a question can leave now."""
        return not self._policy.busy and self._lost_since_s is None and self._clock.now() >= self._not_before_s

    def ask(self, observation: Observation) -> None:
        """Send one."""
        self._policy.ask(observation)

    def receive(self, epoch: int) -> Received:
        """What came back since the last time, checked."""
        answer = self._policy.take()
        if answer is None:
            return NOTHING
        if isinstance(answer, StudioError):
            self._not_before_s = self._clock.now() + RETRY_AFTER_S
            return Received(failure=answer)
        latency_s = self._clock.now() - answer.observed_at_s
        if answer.epoch != epoch:
            return Received(dropped=("old_epoch", "An answer to a question from before the last stop was dropped."))
        if latency_s > self._reply_timeout_s:
            return Received(dropped=("late", f"An answer that took {latency_s:.1f} s was dropped."))
        if stop := check_rows(answer.rows):
            return Received(stop=stop)
        self.latency.add(latency_s)
        return Received(answer, latency_s)
