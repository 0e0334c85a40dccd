"""Places in the queue: numbers with room between them, so that a job is moved without touching the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from backend.database.tables import JobRow
from backend.jobs.rows import RANKS
from studio.jobs import JobState, Priority

GAP = 2**32
"""Between two jobs that were queued one after the other; 2^21 of them stay below what a browser counts exactly."""

_SHARE = 64
"""Jobs of a higher priority stand behind each other before the same one: each takes this part of the room that is left,
so that 1,400 go in. A job that is moved takes half of it."""


class Place(NamedTuple):
    """Where a job goes.

    Attributes:
        is_spread: there was no room, and all others have moved apart.
    """

    position: int
    is_spread: bool = False


def first_position(session: Session) -> int:
    """A place before everything that is queued."""
    return (session.scalar(select(func.min(JobRow.position)).where(_QUEUED)) or 0) - GAP


def last_position(session: Session) -> int:
    """A place behind every job that has not ended."""
    is_open = JobRow.state.in_((JobState.QUEUED, JobState.RUNNING))
    return (session.scalar(select(func.max(JobRow.position)).where(is_open)) or 0) + GAP


def place_by_priority(session: Session, priority: Priority, job_id: str | None = None) -> Place:
    """A place behind the last queued job of this priority, and before the first of a lower one.

    Args:
        job_id: the job itself, where it is queued already.
    """
    follower = session.scalars(
        select(JobRow).where(_others(job_id), JobRow.priority < RANKS[priority]).order_by(JobRow.position).limit(1)
    ).first()
    return Place(last_position(session)) if follower is None else place_before(session, follower, job_id, _SHARE)


def place_before(session: Session, follower: JobRow, job_id: str | None = None, share: int = 2) -> Place:
    """A place just before a queued job.

    Args:
        job_id: the job itself, where it is queued already.
        share: the part of the room before that job which is taken.
    """
    before = session.scalar(
        select(func.max(JobRow.position)).where(_others(job_id), JobRow.position < follower.position)
    )
    if before is None:
        return Place(follower.position - GAP)
    room = follower.position - before
    if room >= 2:
        return Place(before + max(1, room // share))
    _spread(session.scalars(select(JobRow).where(_QUEUED).order_by(JobRow.position)).all())
    session.flush()
    return Place(place_before(session, follower, job_id, share).position, is_spread=True)


def _spread(rows: Sequence[JobRow]) -> None:
    """Rising from the first one's place, a gap apart."""
    first = rows[0].position
    for index, row in enumerate(rows):
        row.position = first + index * GAP


def _others(job_id: str | None) -> ColumnElement[bool]:
    return _QUEUED if job_id is None else _QUEUED & (JobRow.id != job_id)


_QUEUED = JobRow.state == JobState.QUEUED
