"""What the server says while a training runs: one word a line."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Literal

Command = Literal["save", "stop"]


class Commands:
    """Words as they come. The end of the input is a stop.

    Args:
        lines: of the input; they are read by a thread.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self._saves, self._stops = threading.Event(), threading.Event()
        self._lines = lines
        threading.Thread(target=self._read, daemon=True).start()

    @property
    def is_stopped(self) -> bool:
        """Whether a stop has come; a save that came before it still does."""
        return self._stops.is_set()

    def next(self) -> Command | None:
        """The next one, if there is one; after a stop nothing but that."""
        if self._saves.is_set():
            self._saves.clear()
            return "save"
        return "stop" if self.is_stopped else None

    def _read(self) -> None:
        for line in self._lines:
            match line.strip():
                case "save":
                    self._saves.set()
                case "stop":
                    break
                case _:
                    pass
        self._stops.set()
