"""Structured logs on standard error: readable at a terminal, one JSON object a line elsewhere."""

from __future__ import annotations

import logging
import sys

import structlog

from studio.standard_error import let_lines_be_lost


def configure_logs() -> None:
    """Set up structlog for this process; libraries that use `logging` speak from warnings up."""
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
            renderer,
        ],
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s %(message)s")
