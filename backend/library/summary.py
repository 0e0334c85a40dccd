"""What the whole library takes, and which values its filters may have."""

from __future__ import annotations

import shutil
from pathlib import Path

from sqlalchemy import case, func, select, text
from sqlalchemy.orm import InstrumentedAttribute, Session

from backend.database.tables import ArtefactRow
from studio.library import Facet, LibraryFacets, LibraryUsage

MAX_FACETS = 200
"""Of each filter, the commonest."""

_TAGS = text(
    "SELECT each.value, count(*) AS num_items FROM artefacts, json_each(artefacts.tags) AS each "
    "WHERE artefacts.trashed_at IS NULL AND NOT artefacts.erasing GROUP BY each.value "
    f"ORDER BY num_items DESC, each.value LIMIT {MAX_FACETS}"
)


def usage_of(session: Session, quota_bytes: int | None, media: Path) -> LibraryUsage:
    """What it takes on the disk that holds the folder `media`."""
    is_trashed = ArtefactRow.trashed_at.is_not(None)
    num_all, size_bytes, num_trashed, trash_bytes = session.execute(
        select(
            func.count(),
            func.coalesce(func.sum(ArtefactRow.size_bytes), 0),
            func.coalesce(func.sum(case((is_trashed, 1), else_=0)), 0),
            func.coalesce(func.sum(case((is_trashed, ArtefactRow.size_bytes), else_=0)), 0),
        ).where(~ArtefactRow.erasing)
    ).one()
    return LibraryUsage(
        num_items=num_all - num_trashed,
        size_bytes=size_bytes,
        num_trashed=num_trashed,
        trash_bytes=trash_bytes,
        quota_bytes=quota_bytes,
        free_bytes=shutil.disk_usage(media).free,
    )


def facets_of(session: Session) -> LibraryFacets:
    """Over everything that is not in the trash."""
    return LibraryFacets(
        kinds=_counted(session, ArtefactRow.kind),
        types=_counted(session, ArtefactRow.type),
        checkpoints=_counted(session, ArtefactRow.checkpoint),
        tags=tuple(Facet(value=str(value), num_items=count) for value, count in session.execute(_TAGS)),
    )


def _counted(
    session: Session, column: InstrumentedAttribute[str] | InstrumentedAttribute[str | None]
) -> tuple[Facet, ...]:
    count = func.count()
    query = (
        select(column, count)
        .where(column.is_not(None), ArtefactRow.trashed_at.is_(None), ~ArtefactRow.erasing)
        .group_by(column)
        .order_by(count.desc(), column)
        .limit(MAX_FACETS)
    )
    return tuple(Facet(value=str(value), num_items=number) for value, number in session.execute(query))
