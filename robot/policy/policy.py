"""What the loop needs of a policy: it never waits for one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from robot.chunk import ActionChunk
from robot.observation import Observation
from studio.errors import StudioError

Connection = Literal["disconnected", "connecting", "ready", "refused"]
"""refused: it answers, and may not drive this arm."""


@dataclass(frozen=True)
class PolicyStatus:
    """How it stands with a policy.

    Attributes:
        server: where it is.
        dialect: how it speaks; empty before it said anything.
        words: why it is not ready, or what it said last that was no answer.
        predicts: whether it sends the frames that it foresees, when it is asked to.
        foresight: path of the websocket on which it sends them behind its answers; empty where they are part of these.
    """

    connection: Connection
    server: str = ""
    dialect: str = ""
    words: str = ""
    predicts: bool = False
    foresight: str = ""


class Policy(Protocol):
    """One question at a time, answered on a thread of its own."""

    @property
    def busy(self) -> bool:
        """Whether a question is on its way."""
        ...

    def status(self) -> PolicyStatus:
        """How it stands."""
        ...

    def ask(self, observation: Observation) -> None:
        """Send a question; returns at once. Only while it is not busy."""
        ...

    def take(self) -> ActionChunk | StudioError | None:
        """The answer, or what went wrong, once; none while there is neither."""
        ...

    def close(self) -> None:
        """Let go of the server."""
        ...


class NoPolicy:
    """Where nobody said where actions come from; replays run without."""

    busy = False

    def status(self) -> PolicyStatus:
        """Not there."""
        return PolicyStatus("disconnected", words="No policy address is set.")

    def ask(self, observation: object) -> None:
        """Nobody does: it is never ready."""

    def take(self) -> None:
        """There is none."""

    def close(self) -> None:
        """There is nothing to let go of."""
