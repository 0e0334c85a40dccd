"""Whether jobs wait for a checkpoint that somebody wants off the device."""

from __future__ import annotations

from backend.jobs.board import Board
from backend.jobs.ledger import Ledger
from studio.errors import Conflict


async def refuse_if_awaited(board: Board, name: str) -> None:
    """Raises Conflict when queued jobs need a checkpoint: it would only be loaded again."""
    waiting = await board.read(Ledger.queued_on, name)
    if waiting:
        raise Conflict(
            f"{len(waiting)} queued jobs need {name}; it would only be loaded again.",
            param="checkpoint",
            hint="Cancel them, or let them run first.",
        )
