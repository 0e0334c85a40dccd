"""What the server says while a training runs: one word a line."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from queue import SimpleQueue
from typing import Literal

Command = Literal["save", "stop"]


class Commands:
    """Words as they come. The end of the input is a stop.

    Args:
        lines: of the input; they are read by a thread.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self._words: SimpleQueue[Command] = SimpleQueue()
        self._lines = lines
        threading.Thread(target=self._read, daemon=True).start()
        self.is_stopped = False

    def next(self) -> Command | None:
        """The next one, if there is one; after a stop nothing but that."""
        if not self.is_stopped and not self._words.empty():
            self.is_stopped = (word := self._words.get()) == "stop"
            return word
        return "stop" if self.is_stopped else None

    def _read(self) -> None:
        for line in self._lines:
            match line.strip():
                case "save":
                    self._words.put("save")
                case "stop":
                    break
                case _:
                    pass
        self._words.put("stop")
