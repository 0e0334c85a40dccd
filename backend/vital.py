"""Tasks that the server is nothing without."""

from __future__ import annotations

import asyncio
import os
import signal

import structlog

log = structlog.get_logger("orrery.vital")


def keep(task: asyncio.Task[None], name: str) -> asyncio.Task[None]:
    """End the server if a task ends by an error that nobody foresaw: accepting and never running is worse than none.

    Args:
        name: what the log calls it.
    """

    def look(ended: asyncio.Task[None]) -> None:
        if not ended.cancelled() and ended.exception() is not None:
            log.critical("vital_task_died", task=name, exc_info=ended.exception())
            os.kill(os.getpid(), signal.SIGTERM)

    task.add_done_callback(look)
    return task
