"""Where an artefact came from, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence

import structlog
from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from backend.database.tables import ArtefactRow, JobInputRow, JobRow
from studio.errors import StudioError
from studio.jobs import JobState
from studio.requests import Request, parse_request

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
