"""Questions and answers: what is asked, and which answers still count."""

from __future__ import annotations

from dataclasses import dataclass, replace

from robot.chunk import MAX_ROWS, STALE_AFTER_S, ActionChunk
from robot.clock import Clock
from robot.faults import StopReason
from robot.observation import Observation
from robot.playing import Latency
from robot.policy.policy import Policy, PolicyStatus
from robot.safety import check_rows
from studio.errors import StudioError

RETRY_AFTER_S = 0.5


@dataclass(frozen=True)
class Received:
    """What came back.

    Attributes:
        chunk: one that may be played.
        latency_s: of that one.
        stop: why the arm must stop instead.
        failure: why there was no answer.
        dropped: a code and a sentence, where an answer came and does not count, or not all of it.
    """

    chunk: ActionChunk | None = None
    latency_s: float | None = None
    stop: StopReason | None = None
    failure: StudioError | None = None
    dropped: tuple[str, str] | None = None


NOTHING = Received()


class Conversation:
    """With one policy, over all epochs."""

    def __init__(self, policy: Policy, clock: Clock) -> None:
        self._policy = policy
        self._clock = clock
        self._not_before_s = float("-inf")
        self._said_too_long = False
        self._asked_s: float | None = None  # when the question left that is not answered yet
        self._took_s = 0.0
        self.latency = Latency()

    def status(self) -> PolicyStatus:
        """How it stands with the policy."""
        return self._policy.status()

    def is_reachable(self) -> bool:
        """Whether the policy is there."""
        return self.status().connection == "ready"

    def may_ask(self) -> bool:
        """Whether a question can leave now."""
        return not self._policy.busy and self.is_reachable() and self._clock.now() >= self._not_before_s

    def answers_in_s(self) -> float:
        """How long the last answer took, or the one that is waited for takes already."""
        return self._took_s if self._asked_s is None else max(self._took_s, self._clock.now() - self._asked_s)

    def ask(self, observation: Observation) -> None:
        """Send one."""
        self._asked_s = self._clock.now()
        self._policy.ask(observation)

    def receive(self, epoch: int) -> Received:
        """What came back since the last time, checked, and cut to the rows that may be played."""
        answer = self._policy.take()
        if answer is None:
            return NOTHING
        self._asked_s = None
        if isinstance(answer, StudioError):
            self._not_before_s = self._clock.now() + RETRY_AFTER_S
            return Received(failure=answer)
        latency_s = self._took_s = self._clock.now() - answer.observed_at_s
        if answer.epoch != epoch:
            return Received(dropped=("old_epoch", "An answer to a request from before the last stop was dropped."))
        if latency_s > STALE_AFTER_S:
            return Received(dropped=("late", f"An answer that took {latency_s:.1f} s was dropped."))
        if stop := check_rows(answer.rows):
            return Received(stop=stop)
        self.latency.add(latency_s)
        num_rows = len(answer.rows)
        if num_rows <= MAX_ROWS:
            return Received(answer, latency_s)
        cut = replace(answer, rows=answer.rows[:MAX_ROWS])
        words = f"The policy answers {num_rows:,} rows; only the first {MAX_ROWS} are executed."
        told, self._said_too_long = self._said_too_long, True
        return Received(cut, latency_s, dropped=None if told else ("too_long", words))
