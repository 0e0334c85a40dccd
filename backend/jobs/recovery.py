"""At a server's start: what ran when the last one died is put back."""

from __future__ import annotations

import asyncio

import structlog

from backend.jobs.board import Board
from backend.jobs.ledger import Ledger
from backend.jobs.patience import insist

log = structlog.get_logger("orrery.jobs")


async def recover(board: Board) -> None:
    """Put running jobs back first in line, counted as returns; waits out a database that does not answer."""
    for job in await insist(lambda: board.read(Ledger.recover, returns=1), asyncio.Lock(), lambda _: None):
        log.warning("job_returned", job_id=job.id, state=job.state, returns=job.returns)
