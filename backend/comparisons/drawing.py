"""A comparison as it is now: its grid, its jobs, what they made, what was measured and what a critic said."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from backend.comparisons.grid import Grid
from backend.comparisons.likeness import explained, explained_control, follows
from backend.database.tables import ArtefactRow, ComparisonRow, CriticScoreRow, JobRow, MeasurementRow
from backend.jobs.rows import readable
from backend.library.items import find_artefact, item_of, request_of
from backend.media import MediaStore
from studio.comparisons import Cell, Comparison, ComparisonSummary, Likeness
from studio.errors import ComparisonNotFound
from studio.jobs import Job, JobState
from studio.library import LibraryItem
from studio.media import MediaReference
from studio.requests import shown


def critic_scores(session: Session, ids: Iterable[str]) -> dict[str, float]:
    """Overall scores of 0 to 10 by item, of those that a critic has seen."""
    wanted = list(ids)
    found: dict[str, float] = {}
    for start in range(0, len(wanted), 500):  # SQLite bounds the parameters of a statement
        query = select(CriticScoreRow).where(CriticScoreRow.media_id.in_(wanted[start : start + 500]))
        found |= {row.media_id: row.score for row in session.scalars(query)}
    return found


SEEN = ("image", "video")
GONE = "its file was deleted"
UNREADABLE = "its file cannot be read"
"""Said of a cell whose medium is no more, or is damaged."""


@dataclass(frozen=True)
class Look:
    """What is needed to draw comparisons.

    Attributes:
        now: a job with its live progress over it.
        memory_gb: what a checkpoint takes, by its id.
    """

    store: MediaStore
    now: Callable[[Job], Job]
    memory_gb: Callable[[str], float | None]


def find_comparison(session: Session, comparison_id: str) -> ComparisonRow:
    """Its row. Raises ComparisonNotFound."""
    row = session.scalars(select(ComparisonRow).where(ComparisonRow.id == comparison_id)).first()
    if row is None:
        raise ComparisonNotFound(
            f"There is no comparison {shown(comparison_id)}.", hint="GET /v1/comparisons lists them."
        )
    return row


def draw(session: Session, row: ComparisonRow, look: Look) -> Comparison:
    """The whole of it."""
    grid = Grid.model_validate(row.document)
    jobs = {job.batch.index: look.now(job) for job in _jobs(session, row.id) if job.batch is not None}
    looked_at = {place.index: _looked_at(jobs[place.index]) for place in grid.places if place.index in jobs}
    named = {place.media_id for place in grid.places if place.media_id}
    ids = named | {reference.id for reference in looked_at.values() if reference}
    items = _items(session, ids, look.store)
    reference_of = {
        place.row: place.media_id for place in grid.places if grid.columns[place.column].role == "reference"
    }
    likenesses = _likenesses(session, ids)
    scores = critic_scores(session, ids)
    pictures = [*_thumbnails(jobs.values()), *(item.thumbnail_url for item in items.values() if item.thumbnail_url)]
    cells: list[Cell] = []
    for place in grid.places:
        job = jobs.get(place.index) if place.index is not None else None
        reference = looked_at.get(place.index) if place.index is not None else None
        media_id = place.media_id or (reference.id if reference else None)
        against = reference_of.get(place.row)
        item = items.get(media_id) if media_id else None
        measured = likenesses.get((media_id, against or "")) if media_id and media_id != against else None
        if against and item is not None and item.id != against:
            measured = explained(measured, items.get(against))
        # Without a ground truth a note is all there is; beside one that is not measured yet it would stand for it.
        if item is not None and follows(item.kind) and (measured is not None or not against):
            request = job.request if job else request_of(session, find_artefact(session, item.id))
            measured = explained_control(measured, request, look.store)
        cells.append(
            Cell(
                row=place.row,
                column=place.column,
                item=item,
                actions_url=f"/v1/media/{media_id}-actions" if f"{media_id}-actions" in items else None,
                job=job,
                error=grid.refused.get(place.index) if place.index is not None else None,
                seconds=_seconds(job),
                memory_gb=look.memory_gb(job.checkpoint) if job else None,
                likeness=measured,
                critic=scores.get(media_id) if media_id else None,
            )
        )
    return Comparison(
        **_summary(row, grid, sum(job.state.ended for job in jobs.values()), pictures).model_dump(),
        rows=grid.rows,
        columns=grid.columns,
        cells=tuple(cells),
    )


def list_all(session: Session, look: Look, limit: int) -> tuple[ComparisonSummary, ...]:
    """The newest first."""
    rows = session.scalars(select(ComparisonRow).order_by(ComparisonRow.number.desc()).limit(limit)).all()
    return tuple(_in_short(session, row, look) for row in rows)


def _summary(row: ComparisonRow, grid: Grid, num_ended: int, pictures: Sequence[str]) -> ComparisonSummary:
    return ComparisonSummary(
        id=row.id,
        title=grid.title,
        num_rows=len(grid.rows),
        num_columns=len(grid.columns),
        num_cells=grid.num_made,
        num_done=num_ended + len(grid.refused),
        created_at=row.created_at,
        thumbnail_url=pictures[0] if pictures else None,
    )


def _in_short(session: Session, row: ComparisonRow, look: Look) -> ComparisonSummary:
    # Counted by the database: a page of comparisons has tens of thousands of jobs.
    grid = Grid.model_validate(row.document)
    of_it = select(JobRow).where(JobRow.batch_id == row.id)
    counts = session.execute(select(JobRow.state, func.count()).where(JobRow.batch_id == row.id).group_by(JobRow.state))
    num_ended = sum(count for state, count in counts if JobState(state).ended)
    first = of_it.where(JobRow.state == JobState.SUCCEEDED).order_by(JobRow.batch_index).limit(1)
    pictures = _thumbnails(readable(session.scalars(first)))
    named = {place.media_id for place in grid.places if place.media_id}
    if not pictures and named:
        pictures = [item.thumbnail_url for item in _items(session, named, look.store).values() if item.thumbnail_url]
    return _summary(row, grid, num_ended, pictures)


def _thumbnails(jobs: Iterable[Job]) -> list[str]:
    return [reference.thumbnail_url for job in jobs for reference in job.results if reference.thumbnail_url]


def _jobs(session: Session, comparison_id: str) -> list[Job]:
    query = select(JobRow).where(JobRow.batch_id == comparison_id).order_by(JobRow.batch_index)
    return readable(session.scalars(query))


def _looked_at(job: Job) -> MediaReference | None:
    """Of its results the first picture or clip; of one that made neither, its actions."""
    seen = [result for result in job.results if result.type in SEEN]
    return next(iter(seen or [result for result in job.results if result.mime == "application/json"]), None)


def _items(session: Session, ids: Iterable[str], store: MediaStore) -> Mapping[str, LibraryItem]:
    wanted = [name for media_id in ids for name in (media_id, f"{media_id}-actions")]
    rows: list[ArtefactRow] = []
    for start in range(0, len(wanted), 500):  # SQLite bounds the parameters of a statement
        part = wanted[start : start + 500]
        rows += session.scalars(select(ArtefactRow).where(ArtefactRow.id.in_(part), ~ArtefactRow.erasing))
    return {row.id: item_of(row, store) for row in rows}


def _likenesses(session: Session, ids: Iterable[str]) -> dict[tuple[str, str], Likeness]:
    wanted: Sequence[str] = list(ids)
    found: dict[tuple[str, str], Likeness] = {}
    for start in range(0, len(wanted), 500):
        query = select(MeasurementRow).where(MeasurementRow.media_id.in_(wanted[start : start + 500]))
        for row in session.scalars(query):
            said: dict[str, Any] = row.document
            found[row.media_id, row.against_id] = Likeness.model_validate(said)
    return found


def _seconds(job: Job | None) -> float | None:
    if job is None or job.state is not JobState.SUCCEEDED or job.started_at is None or job.finished_at is None:
        return None
    return round((job.finished_at - job.started_at).total_seconds(), 2)
