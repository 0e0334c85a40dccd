"""What refinements' critics have said of library items."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import select
from sqlalchemy.orm import Session

from backend.database.tables import CriticScoreRow


def critic_scores(session: Session, ids: Iterable[str]) -> dict[str, float]:
    """Overall scores of 0 to 10 by item, of those that a critic has seen."""
    wanted = list(ids)
    found: dict[str, float] = {}
    for start in range(0, len(wanted), 500):  # SQLite bounds the parameters of a statement
        query = select(CriticScoreRow).where(CriticScoreRow.media_id.in_(wanted[start : start + 500]))
        found |= {row.media_id: row.score for row in session.scalars(query)}
    return found
