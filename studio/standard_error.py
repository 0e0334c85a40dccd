"""Standard error as a place where lines may be lost.

It is often a file on the disk that has just become full, or a pipe whose reader has gone. Then nobody can be told, and
what was being done goes on.
"""

from __future__ import annotations

import io
import sys
from contextlib import suppress


class _Patient(io.TextIOWrapper):
    def write(self, text: str, /) -> int:
        with suppress(OSError):
            return super().write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            super().flush()


def let_lines_be_lost() -> None:
    """From now on this process writes to standard error what goes, and no error comes of the rest."""
    old = sys.stderr
    sys.stderr = _Patient(old.buffer, old.encoding, old.errors, line_buffering=True)
