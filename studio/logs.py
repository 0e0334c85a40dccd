"""The logs of a server or a robot, and standard error as a place where lines may be lost.

It is often a file on the disk that has just become full, or a pipe whose reader has gone. Then nobody can be told, and
what was being done goes on.
"""

from __future__ import annotations

import io
import logging
import sys
from collections import deque
from contextlib import suppress
from datetime import datetime

import structlog

from studio.system import LogEntry

RECENT: deque[LogEntry] = deque(maxlen=1000)
"""The newest lines of this process."""


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


def _remember(_: object, __: str, entry: structlog.typing.EventDict) -> structlog.typing.EventDict:
    said = {name: value if isinstance(value, int | float | bool) else str(value) for name, value in entry.items()}
    at, level, event = (str(said.pop(name)) for name in ("timestamp", "level", "event"))
    RECENT.append(LogEntry(at=datetime.fromisoformat(at), level=level, event=event, fields=said))
    return entry


def configure_logs(libraries_from: int = logging.WARNING) -> None:
    """Structured logs on standard error: readable at a terminal, one JSON object a line elsewhere.

    Args:
        libraries_from: the level from which libraries that use `logging` are heard.
    """
    let_lines_be_lost()
    renderer: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer() if sys.stderr.isatty() else structlog.processors.JSONRenderer()
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            _remember,
            renderer,
        ],
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(level=libraries_from, stream=sys.stderr, format="%(levelname)s %(name)s %(message)s")
