"""No policy at all."""

from __future__ import annotations

from robot.policy.policy import PolicyStatus


class NoPolicy:
    """Where nobody said where actions come from; replays run without."""

    busy = False

    def status(self) -> PolicyStatus:
        """Not there."""
        return PolicyStatus("disconnected", words="No policy's address was given.")

    def ask(self, observation: object) -> None:
        """Nobody does: it is never ready."""

    def take(self) -> None:
        """There is none."""

    def close(self) -> None:
        """There is nothing to let go of."""
