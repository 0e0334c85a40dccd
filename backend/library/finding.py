"""Looking for items: filters that must all hold, words by the index, a page at a time."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from datetime import UTC
from pathlib import Path

from sqlalchemy import ColumnElement, Subquery, Text, TextClause, and_, case, cast, func, or_, select, text
from sqlalchemy.orm import InstrumentedAttribute, Session

from backend.database.search_words import search_expression
from backend.database.tables import ArtefactRow, JobRow
from studio.errors import BadInput
from studio.library import Facet, LibraryFacets, LibraryQuery, LibraryUsage, Order, Stack, TagFacet
from studio.requests import shown

_CURSOR = re.compile(r"(newest|oldest|largest)-(\d{1,18})-(-?\d{1,18})")

_COLUMNS = {"newest": ArtefactRow.shelf_order, "oldest": ArtefactRow.shelf_order, "largest": ArtefactRow.size_bytes}

_IN_VIEW = or_(
    ~ArtefactRow.evaluation, ArtefactRow.starred, ArtefactRow.rating > 0, cast(ArtefactRow.tags, Text) != "[]"
)
"""What was not kept for a benchmark or made by its run, and of that what a person or an annotation has marked."""

_LARGEST_INTEGER = 2**63 - 1
"""SQLite's; a number above it is no seed and no cursor of ours."""


def find(session: Session, query: LibraryQuery) -> tuple[Sequence[ArtefactRow], int, str | None]:
    """One page, how many items there are over all pages, and the cursor of the next page.

    Raises:
        BadInput: the cursor is none, or of another order.
    """
    wanted = and_(*_filters(query))
    if query.stacked:
        wanted = ArtefactRow.number.in_(select(_stacks(wanted).c.newest))
    total = session.scalar(select(func.count()).select_from(ArtefactRow).where(wanted)) or 0
    column = _COLUMNS[query.order]
    rising = query.order == "oldest"
    page = select(ArtefactRow).where(wanted)
    if query.cursor is not None:
        value, number = _read_cursor(query.cursor, query.order)
        same = column == value
        beyond = (
            or_(column > value, and_(same, ArtefactRow.number > number))
            if rising
            else or_(column < value, and_(same, ArtefactRow.number < number))
        )
        page = page.where(beyond)
    order = (column, ArtefactRow.number) if rising else (column.desc(), ArtefactRow.number.desc())
    rows = session.scalars(page.order_by(*order).limit(query.limit + 1)).all()
    kept = rows[: query.limit]
    more = len(rows) > query.limit
    return kept, total, _cursor(kept[-1], query.order) if more else None


def stacks_of(session: Session, query: LibraryQuery, rows: Sequence[ArtefactRow]) -> dict[int, Stack]:
    """The stacks that these rows of a stacked query stand for, by the row's number; a stack of one is none."""
    if not query.stacked:
        return {}
    stacks = _stacks(and_(*_filters(query)))
    shown_ones = stacks.c.newest.in_([row.number for row in rows])
    found = session.execute(select(stacks).where(shown_ones, stacks.c.num_items > 1))
    return {newest: Stack(batch=batch, num_items=count) for newest, batch, count in found}


def _stacks(wanted: ColumnElement[bool]) -> Subquery:
    """Of each batch, else each job, else each item: the newest row that is wanted, and how many there are."""
    batch = func.coalesce(JobRow.batch_id, ArtefactRow.job_id, ArtefactRow.id)
    query = select(func.max(ArtefactRow.number).label("newest"), batch.label("batch"), func.count().label("num_items"))
    joined = query.select_from(ArtefactRow).outerjoin(JobRow, JobRow.id == ArtefactRow.job_id)
    return joined.where(wanted).group_by(batch).subquery()


def _filters(query: LibraryQuery) -> list[ColumnElement[bool] | TextClause]:
    trashed = ArtefactRow.trashed_at
    filters: list[ColumnElement[bool] | TextClause] = [~ArtefactRow.erasing]
    filters.append(trashed.is_not(None) if query.trashed else trashed.is_(None))
    if query.evaluation:
        filters.append(ArtefactRow.evaluation.is_(True))
    elif not (query.trashed or query.id or query.batch is not None):
        filters.append(_IN_VIEW)
    expression = search_expression(query.q)
    if expression:
        matching = "artefacts.number IN (SELECT rowid FROM artefact_words WHERE artefact_words MATCH :expression)"
        filters.append(text(matching).bindparams(expression=expression))
    if query.type:
        filters.append(ArtefactRow.type.in_(query.type))
    if query.kind is not None:
        filters.append(ArtefactRow.kind == query.kind)
    if query.checkpoint is not None:
        filters.append(ArtefactRow.checkpoint == query.checkpoint)
    if query.seed is not None:
        filters.append(ArtefactRow.seed == min(max(query.seed, -1), _LARGEST_INTEGER))
    if query.starred is not None:
        filters.append(ArtefactRow.starred == query.starred)
    if query.rating is not None:
        filters.append(ArtefactRow.rating >= query.rating)
    for index, tag in enumerate(query.tag):
        tagged = f"EXISTS (SELECT 1 FROM json_each(artefacts.tags) WHERE value = :tag{index})"
        filters.append(text(tagged).bindparams(**{f"tag{index}": tag}))
    if query.batch is not None:
        named = or_(JobRow.batch_id == query.batch, JobRow.id == query.batch)
        filters.append(ArtefactRow.job_id.in_(select(JobRow.id).where(named)))
    if query.id:
        filters.append(ArtefactRow.id.in_(query.id))
    if query.since is not None:
        filters.append(ArtefactRow.created_at >= query.since.astimezone(UTC))
    if query.until is not None:
        filters.append(ArtefactRow.created_at <= query.until.astimezone(UTC))
    return filters


def _cursor(row: ArtefactRow, order: Order) -> str:
    value = row.size_bytes if order == "largest" else row.shelf_order
    return f"{order}-{value}-{row.number}"


def _read_cursor(cursor: str, order: Order) -> tuple[int, int]:
    match = _CURSOR.fullmatch(cursor)
    if match is None or match[1] != order:
        raise BadInput(
            f"cursor is {shown(cursor)}; expected next_cursor of the previous page, in the same order.",
            param="cursor",
            hint="Remove it to start with the first page.",
        )
    return int(match[2]), int(match[3])


MAX_FACETS = 200
"""Of each filter, the commonest."""

_TAGS = text(
    "SELECT each.value, count(*) AS num_items, max(CASE WHEN artefacts.type IN ('image', 'video') "
    "THEN artefacts.number END) AS cover FROM artefacts, json_each(artefacts.tags) AS each "
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
    """Over what a query without filters finds; what has a tag is always among it."""
    return LibraryFacets(
        kinds=_counted(session, ArtefactRow.kind),
        types=_counted(session, ArtefactRow.type),
        checkpoints=_counted(session, ArtefactRow.checkpoint),
        tags=_tags(session),
    )


def _tags(session: Session) -> tuple[TagFacet, ...]:
    found = session.execute(_TAGS).all()
    covers = select(ArtefactRow.number, ArtefactRow.reference).where(
        ArtefactRow.number.in_([number for *_, number in found if number is not None])
    )
    urls = {number: reference.get("thumbnail_url") for number, reference in session.execute(covers)}
    return tuple(
        TagFacet(value=str(value), num_items=count, cover_url=urls.get(number)) for value, count, number in found
    )


def _counted(
    session: Session, column: InstrumentedAttribute[str] | InstrumentedAttribute[str | None]
) -> tuple[Facet, ...]:
    count = func.count()
    query = (
        select(column, count)
        .where(column.is_not(None), ArtefactRow.trashed_at.is_(None), ~ArtefactRow.erasing, _IN_VIEW)
        .group_by(column)
        .order_by(count.desc(), column)
        .limit(MAX_FACETS)
    )
    return tuple(Facet(value=str(value), num_items=number) for value, number in session.execute(query))
