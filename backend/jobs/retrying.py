"""How long the dispatcher waits for what, and what a server puts back when the last one died."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import structlog

from backend.jobs.ledger import Ledger
from backend.jobs.live_jobs import LiveJobs
from studio.errors import StorageError

T = TypeVar("T")

log = structlog.get_logger("orrery.jobs")

CANCEL_PATIENCE_S = 60.0
"""A worker that has not let go of a cancelled job by then is stuck in a kernel, and is ended."""

RESTART_AFTER_S = (0.0, 0.5, 2.0, 5.0, 10.0)
"""Pauses before the worker is started again, by deaths since it was last ready; the last one repeats."""

STORAGE_RETRY_S = 1.0
"""Pause before an event is handled again that the database would not take."""


async def retry_until_stored(
    act: Callable[[], Coroutine[Any, Any, T]], lock: asyncio.Lock, say: Callable[[StorageError | None], None]
) -> T:
    """Do something under a lock until the database takes it: a full disk is waited out.

    Args:
        say: told what is wrong each time, and None once it went through.
    """
    while True:
        try:
            async with lock:
                done = await act()
        except StorageError as error:
            log.error("storage_failed", code=error.code, message=error.message)
            say(error)
            await asyncio.sleep(STORAGE_RETRY_S)
        else:
            say(None)
            return done


async def recover(live_jobs: LiveJobs) -> None:
    """Put running jobs back first in line, counted as returns; waits out a database that does not answer."""
    for job in await retry_until_stored(
        lambda: live_jobs.read(Ledger.recover, returns=1), asyncio.Lock(), lambda _: None
    ):
        log.warning("job_returned", job_id=job.id, state=job.state, returns=job.returns)
