"""What people do to the order of jobs. Each is one transaction of the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from backend.database.tables import JobRow, SwitchRow
from backend.jobs.eta import queued_seconds
from backend.jobs.ledger import PAUSED, Accepted, Ledger, last_position, place_before, place_by_priority
from backend.jobs.rows import RANKS, find_row, job_of, move_row, readable
from studio.errors import Conflict, JobNotFound
from studio.jobs import BatchPlace, Job, JobState, Priority
from studio.queue import QueueStatus

OPEN = (JobState.QUEUED, JobState.RUNNING)


def queue_status(ledger: Ledger) -> QueueStatus:
    """How the queue stands; its `seconds_left` are those of what is queued, without what runs."""
    with ledger.transaction() as session:
        query = select(JobRow.state, func.count()).where(JobRow.state.in_(OPEN)).group_by(JobRow.state)
        counts = {str(state): int(count) for state, count in session.execute(query)}
        return QueueStatus(
            paused=ledger.is_paused(session),
            full=ledger.is_full(session),
            num_queued=counts.get(JobState.QUEUED, 0),
            num_running=counts.get(JobState.RUNNING, 0),
            seconds_left=queued_seconds(session),
        )


def set_paused(ledger: Ledger, paused: bool) -> None:
    """Start nothing more, or start again; it stays so over a restart."""
    with ledger.transaction() as session:
        switch = session.get(SwitchRow, PAUSED)
        if paused and switch is None:
            session.add(SwitchRow(name=PAUSED))
        elif not paused and switch is not None:
            session.delete(switch)


def move_job(ledger: Ledger, job_id: str, before: str | None) -> Job:
    """Put a queued job just before another queued one, or last.

    Raises:
        JobNotFound: there is no such job, or no such other one.
        Conflict: one of them is not queued.
    """
    with ledger.transaction() as session:
        row = _queued(session, job_id)
        if before is None:
            row.position = last_position(session)
        elif before != job_id:
            row.position = ledger.placed(place_before(session, _queued(session, before), job_id))
        return job_of(row)


def set_priority(ledger: Ledger, job_id: str, priority: Priority) -> Job:
    """Put a queued job behind the last one of a priority. Raises as `move_job`."""
    with ledger.transaction() as session:
        row = _queued(session, job_id)
        row.priority = RANKS[priority]
        row.position = ledger.placed(place_by_priority(session, priority, job_id))
        return job_of(row)


def insert_batch(ledger: Ledger, batch_id: str, accepted: Sequence[Accepted], priority: Priority) -> list[Job]:
    """Accept all of them in their order, or none."""
    with ledger.transaction() as session:
        return [
            ledger.add(session, each, priority, BatchPlace(id=batch_id, index=index, size=len(accepted)))
            for index, each in enumerate(accepted)
        ]


def batch_jobs(ledger: Ledger, batch_id: str) -> list[Job]:
    """The jobs of a batch in their order. Raises JobNotFound when there is none."""
    query = select(JobRow).where(JobRow.batch_id == batch_id).order_by(JobRow.batch_index)
    with ledger.transaction() as session:
        rows = session.scalars(query).all()
        if not rows:
            raise JobNotFound(f"There is no batch {batch_id[:80]!r}.", hint="GET /v1/jobs lists what there is.")
        return readable(rows)


def cancel_queued(ledger: Ledger, batch_id: str | None = None) -> list[Job]:
    """Cancel everything that is queued, or what is queued of a batch; what runs goes on."""
    query = select(JobRow).where(JobRow.state == JobState.QUEUED)
    if batch_id is not None:
        query = query.where(JobRow.batch_id == batch_id)
    now = datetime.now(UTC)
    with ledger.transaction() as session:
        rows = session.scalars(query.order_by(JobRow.position)).all()
        for row in rows:
            move_row(row, JobState.CANCELLED, finished_at=now)
        return readable(rows)


def _queued(session: Session, job_id: str) -> JobRow:
    row = find_row(session, job_id)
    if row.state != JobState.QUEUED:
        raise Conflict(f"Job {job_id} is {row.state}; only a queued job has a place in the queue.")
    return row
