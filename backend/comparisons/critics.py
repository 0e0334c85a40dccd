"""What refinements' critics have said of library items."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import bindparam, text
from sqlalchemy.orm import Session

_SCORES = text(
    "SELECT json_extract(node.value, '$.media.id') AS media_id,"
    " json_extract(node.value, '$.critique.overall_score') AS score"
    " FROM refinements, json_each(refinements.document, '$.nodes') AS node"
    " WHERE media_id IN :ids AND score IS NOT NULL ORDER BY refinements.number"
).bindparams(bindparam("ids", expanding=True))


def critic_scores(session: Session, ids: Iterable[str]) -> dict[str, float]:
    """Overall scores of 0 to 10 by item, of those that a critic has seen; of several the latest."""
    return {str(name): float(score) for name, score in session.execute(_SCORES, {"ids": list(ids)})}
