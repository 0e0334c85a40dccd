"""Data that is not trained on, counted by reason."""

from __future__ import annotations

from dataclasses import dataclass, field

from studio.tuning.events import LeftOut

EXAMPLES = 5
"""Names that are told of each reason."""


@dataclass
class Drops:
    """What was left out so far.

    Attributes:
        messages: a sentence for each reason, of the first that had it.
        names: of what was left out, by reason.
    """

    messages: dict[str, str] = field(default_factory=dict[str, str])
    names: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def add(self, reason: str, message: str, name: str) -> None:
        """Leave something out."""
        self.messages.setdefault(reason, message)
        self.names.setdefault(reason, []).append(name)

    def summary(self) -> str:
        """All of it in one line."""
        return "; ".join(f"{len(names)} × {self.messages[reason]}" for reason, names in self.names.items())

    def told(self) -> tuple[LeftOut, ...]:
        """All of it, the most frequent reason first."""
        by_count = sorted(self.names.items(), key=lambda entry: -len(entry[1]))
        return tuple(
            LeftOut(reason=reason, message=self.messages[reason], count=len(names), examples=tuple(names[:EXAMPLES]))
            for reason, names in by_count
        )
