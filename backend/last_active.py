"""Which checkpoint was the active one: it is again at the next start, unless the server is told of one."""

from __future__ import annotations

import os
from pathlib import Path

import structlog

log = structlog.get_logger("orrery.server")

MOST_CHARACTERS = 4096


class LastActive:
    """A name in a file of its own."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> str | None:
        """The name, if there is one that can be read."""
        try:
            with self._path.open(encoding="utf-8") as file:
                return file.read(MOST_CHARACTERS).strip() or None
        except (OSError, UnicodeDecodeError):
            return None

    def write(self, name: str) -> None:
        """Keep a name; where the disk does not take it, the older one stays, and serving goes on."""
        part = self._path.with_suffix(".part")
        try:
            part.write_text(name, encoding="utf-8")
            os.replace(part, self._path)
        except OSError as error:
            log.warning("active_checkpoint_not_kept", reason=error.strerror or str(error))
