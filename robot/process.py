"""How this process is set up: its logs, and its place before everything else on the machine."""

from __future__ import annotations

import logging
import os
import sys
from contextlib import suppress

import structlog

from studio.standard_error import let_lines_be_lost

REAL_TIME = 1
"""The lowest of the real-time priorities: above all programs that have none, below the kernel's own threads."""

NICE = -10
"""Where there is no real-time priority to be had; groups of processes share by turns whatever they say here."""


def configure_logs() -> None:
    """Structured logs on standard error: readable at a terminal, one JSON object a line elsewhere.

    Libraries that use `logging` speak from errors up.
    """
    let_lines_be_lost()
    at_terminal = sys.stderr.isatty()
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.dev.ConsoleRenderer() if at_terminal else structlog.processors.JSONRenderer(),
        ],
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(level=logging.ERROR, stream=sys.stderr, format="%(levelname)s %(name)s %(message)s")


def raise_priority() -> None:
    """Of this thread, and those that it starts; without the right to it all goes on, and late ticks are counted.

    Root has the right, and whoever has an `rtprio` limit (limits.conf(5)).
    """
    with suppress(OSError, AttributeError):  # no right to it, or no such scheduler here
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(REAL_TIME))
        return
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, NICE)
