"""From rows of the ledger to jobs, and the moves that a row may make."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, cast

import structlog
from sqlalchemy import func, select
from sqlalchemy.orm import Session, object_session

from backend.database.tables import JobRow
from studio.errors import BadInput, GuardrailBlocked, JobNotFound, StorageError, StudioError
from studio.jobs import BatchPlace, Failure, Job, JobState, Priority, Progress, Verdict, check_move
from studio.media import MediaReference
from studio.requests import parse_request

log = structlog.get_logger("orrery.ledger")

RANKS: dict[Priority, int] = {"low": -1, "normal": 0, "high": 1}
"""What a row's `priority` says."""

PRIORITIES: dict[int, Priority] = {rank: priority for priority, rank in RANKS.items()}


def find_row(session: Session, job_id: str) -> JobRow:
    """The row of a job. Raises JobNotFound."""
    row = session.scalars(select(JobRow).where(JobRow.id == job_id)).first()
    if row is None:
        raise JobNotFound(f"There is no job {job_id[:80]!r}.", hint="GET /v1/jobs lists them.")
    return row


def move_row(row: JobRow, state: JobState, **changes: Any) -> None:
    """To another state, with other columns. Raises Conflict where the move is none."""
    check_move(row.id, JobState(row.state), state)
    row.end_number = _next_end_number(row) if state.ended else None
    row.state = state
    for name, value in changes.items():
        setattr(row, name, value)


def _next_end_number(row: JobRow) -> int:
    session = object_session(row)
    assert session is not None
    return (session.scalar(select(func.max(JobRow.end_number))) or 0) + 1


def fail_row(row: JobRow, error: StudioError) -> None:
    """To failed, with the reason; what the guardrail has stopped says so."""
    if isinstance(error, GuardrailBlocked):
        row.guardrail = "blocked"
    move_row(row, JobState.FAILED, error=Failure.of(error).model_dump(mode="json"), finished_at=datetime.now(UTC))


def job_of(row: JobRow) -> Job:
    """The job that a row describes. Raises StorageError when it cannot be read."""
    try:
        return _read(row)
    except (BadInput, ValueError) as error:
        raise StorageError(
            f"Job {row.id} was written by another version of Orrery: {error}", hint="Submit it again."
        ) from None


def readable(rows: Iterable[JobRow]) -> list[Job]:
    """The jobs of rows; one that cannot be read is left out, and does not take the others with it."""
    jobs: list[Job] = []
    for row in rows:
        try:
            jobs.append(job_of(row))
        except StorageError as error:
            log.error("job_unreadable", job_id=row.id, reason=error.message)
    return jobs


def page_of(session: Session, limit: int, state: JobState | None, before: int | None) -> tuple[list[Job], int | None]:
    """The newest jobs before a number, newest first, and the number that the next page is before, if one follows."""
    query = select(JobRow).order_by(JobRow.number.desc()).limit(limit + 1)
    if state is not None:
        query = query.where(JobRow.state == state)
    if before is not None:
        query = query.where(JobRow.number < before)
    rows = session.scalars(query).all()
    return readable(rows[:limit]), rows[limit - 1].number if len(rows) > limit else None


def _read(row: JobRow) -> Job:
    state = JobState(row.state)
    return Job(
        id=row.id,
        number=row.number,
        end_number=row.end_number,
        kind=row.kind,
        state=state,
        checkpoint=row.checkpoint,
        request=parse_request(row.request),
        progress=_progress(row, state),
        created_at=row.created_at,
        started_at=row.started_at,
        finished_at=row.finished_at,
        position=row.position,
        priority=PRIORITIES[row.priority],
        batch=_place(row),
        attempts=row.attempts,
        returns=row.returns,
        stopped_at_step=row.stopped_at_step,
        results=tuple(MediaReference.model_validate(result) for result in row.results),
        error=Failure.model_validate(row.error) if row.error else None,
        guardrail=cast(Verdict | None, row.guardrail),
    )


def _place(row: JobRow) -> BatchPlace | None:
    if row.batch_id is None:
        return None
    return BatchPlace(id=row.batch_id, index=row.batch_index or 0, size=row.batch_size or 1)


def _progress(row: JobRow, state: JobState) -> Progress:
    if state is JobState.SUCCEEDED:
        step = row.num_steps if row.stopped_at_step is None else row.stopped_at_step
        return Progress(phase="ended", step=step, steps=row.num_steps)
    phase = "ended" if state.ended else "starting" if state is JobState.RUNNING else "waiting"
    return Progress(phase=phase, step=row.stopped_at_step or 0, steps=row.num_steps)
