"""The words of an answer, as soon as they can be shown."""

from __future__ import annotations

import codecs
from collections.abc import Sequence


class Answer:
    """Bytes in, text out: no half character, and nothing that may turn out to be a stop string.

    With the stop string "END", the pieces "the E", "N", "T" become "the ", "", "ENT".
    """

    def __init__(self, stop: Sequence[str] = ()) -> None:
        self.text = ""
        self.stopped = False
        self._stop = tuple(stop)
        self._held = ""
        self._taken = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")

    def write(self, spelling: bytes) -> None:
        """Add what a token says. After a stop string nothing is added."""
        self._add(self._decoder.decode(spelling))

    def close(self) -> None:
        """Nothing follows: what was held back is shown, and half a character as U+FFFD."""
        self._add(self._decoder.decode(b"", final=True))
        if not self.stopped:
            self.text += self._held
        self._held = ""

    def take(self) -> str:
        """What has come since the last time."""
        piece = self.text[self._taken :]
        self._taken = len(self.text)
        return piece

    def _add(self, piece: str) -> None:
        if self.stopped:
            return
        waiting = self._held + piece
        ends = [at for at in (waiting.find(stop) for stop in self._stop) if at >= 0]
        if ends:
            self.stopped, self._held = True, ""
            self.text += waiting[: min(ends)]
            return
        kept = max((_overlap(waiting, stop) for stop in self._stop), default=0)
        self._held = waiting[len(waiting) - kept :]
        self.text += waiting[: len(waiting) - kept]


def _overlap(text: str, stop: str) -> int:
    """Characters at the end of a text with which a stop string begins."""
    return next((size for size in range(min(len(stop) - 1, len(text)), 0, -1) if text.endswith(stop[:size])), 0)
