"""From rows to what people see of them: an item, where it came from, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import structlog
from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from backend.database.tables import ArtefactRow, JobInputRow, JobRow
from backend.media import MediaStore, read_recipe
from studio.errors import MediaNotFound, StudioError
from studio.jobs import JobState
from studio.library import LibraryItem, Stack
from studio.media import MediaReference
from studio.requests import Request, parse_request, shown

_FACTS = (
    *("width", "height", "num_frames", "fps", "duration_s", "has_sound", "num_actions"),
    *("num_computed_steps", "num_kept_steps", "thumbnail_url"),
)


def find_artefact(session: Session, media_id: str) -> ArtefactRow:
    """The row of an artefact that is not about to go. Raises MediaNotFound."""
    row = session.scalars(select(ArtefactRow).where(ArtefactRow.id == media_id, ~ArtefactRow.erasing)).first()
    if row is None:
        raise MediaNotFound(f"There is no media {shown(media_id)} in the library.", hint="GET /v1/library lists it.")
    return row


def items_of(
    rows: Iterable[ArtefactRow], store: MediaStore, stacks: Mapping[int, Stack] | None = None
) -> tuple[LibraryItem, ...]:
    """Items as they are now; a look at the disk says whether each file is still there.

    Args:
        stacks: by the number of the row that stands for each.
    """
    return tuple(item_of(row, store, (stacks or {}).get(row.number)) for row in rows)


def item_of(row: ArtefactRow, store: MediaStore, stack: Stack | None = None) -> LibraryItem:
    """One item; see `items_of`."""
    reference = MediaReference.model_validate(row.reference)
    return LibraryItem(
        **{name: getattr(reference, name) for name in _FACTS},
        id=row.id,
        job_id=row.job_id,
        kind=row.kind,
        type=reference.type,
        mime=reference.mime,
        size_bytes=row.size_bytes,
        seed=row.seed,
        checkpoint=row.checkpoint,
        prompt=row.prompt,
        title=row.title,
        starred=row.starred,
        rating=row.rating,
        tags=tuple(row.tags),
        stack=stack,
        created_at=row.created_at,
        trashed_at=row.trashed_at,
        url=reference.url,
        spritesheet_url=f"{reference.url}/spritesheet" if reference.type == "video" else None,
        evaluation=row.evaluation,
        missing=not store.holds(row.id, reference.mime),
    )


def carried_request(store: MediaStore, media_id: str) -> Request | None:
    """The request that made it elsewhere; none where the file says nothing, or nothing that is a request here."""
    try:
        return read_recipe(store.file(media_id)).request
    except (StudioError, OSError):
        return None


log = structlog.get_logger("orrery.library")

MAX_RELATIVES = 100

_PRESENT = ~ArtefactRow.erasing


def request_of(session: Session, row: ArtefactRow) -> Request | None:
    """What made a result: its own seed, count 1, the checkpoint that ran it; none for an upload."""
    job = session.scalars(select(JobRow).where(JobRow.id == row.job_id)).first() if row.job_id else None
    if job is None:
        return None
    try:
        request = parse_request(job.request)
    except StudioError as error:
        log.error("recipe_unreadable", job_id=job.id, reason=error.message)
        return None
    index = int(row.id.split("-")[1])
    sampling = request.sampling.model_copy(update={"seed": request.sampling.seed + index})
    return request.model_copy(update={"count": 1, "sampling": sampling, "checkpoint": job.checkpoint})


def made_from(session: Session, row: ArtefactRow) -> Sequence[ArtefactRow]:
    """What its job names, and the clip that a control was computed from."""
    named = select(JobInputRow.media_id).where(JobInputRow.job_id == row.job_id)
    query = select(ArtefactRow).where(or_(ArtefactRow.id.in_(named), ArtefactRow.id == row.source_id), _PRESENT)
    return session.scalars(query.order_by(ArtefactRow.number).limit(MAX_RELATIVES)).all()


def led_to(session: Session, row: ArtefactRow) -> Sequence[ArtefactRow]:
    """Results of jobs that name it, and controls that were computed from it, newest first."""
    jobs = select(JobInputRow.job_id).where(JobInputRow.media_id == row.id)
    query = select(ArtefactRow).where(or_(ArtefactRow.job_id.in_(jobs), ArtefactRow.source_id == row.id), _PRESENT)
    return session.scalars(query.order_by(ArtefactRow.shelf_order.desc()).limit(MAX_RELATIVES)).all()


def siblings(session: Session, row: ArtefactRow) -> Sequence[ArtefactRow]:
    """Other results of the same job."""
    if row.job_id is None:
        return ()
    query = select(ArtefactRow).where(ArtefactRow.job_id == row.job_id, ArtefactRow.number != row.number, _PRESENT)
    return session.scalars(query.order_by(ArtefactRow.number).limit(MAX_RELATIVES)).all()


def needed_by_open_jobs(session: Session, ids: Sequence[str]) -> dict[str, str]:
    """Of these media those that a job names which has not ended, each with such a job."""
    states = (JobState.QUEUED, JobState.RUNNING)
    query = (
        select(JobInputRow.media_id, JobInputRow.job_id)
        .join(JobRow, JobRow.id == JobInputRow.job_id)
        .where(JobRow.state.in_(states))
    )
    wanted = set(ids)
    return {media_id: job_id for media_id, job_id in session.execute(query) if media_id in wanted}
