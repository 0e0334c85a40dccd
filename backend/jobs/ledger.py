"""The ledger: every job that was ever accepted, and the only place that writes one down."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import structlog
from sqlalchemy import Engine, func, select
from sqlalchemy.exc import DatabaseError
from sqlalchemy.orm import Session

from backend.jobs.tables import JobRow
from studio.errors import BadInput, Conflict, DiskFull, EngineLost, JobNotFound, StorageError, StudioError
from studio.jobs import MAX_RETURNS, Failure, Job, JobState, Progress, check_move
from studio.media import MediaReference
from studio.requests import Request, parse_request

log = structlog.get_logger("orrery.ledger")

SQLITE_FULL = 13


class Ledger:
    """Jobs as rows. Every method is one transaction; a method that returns has been written to disk."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def insert(self, job_id: str, request: Request, checkpoint: str) -> Job:
        """Accept a job at the end of the queue."""
        with self._session() as session:
            row = JobRow(
                id=job_id,
                kind=request.kind,
                state=JobState.QUEUED,
                checkpoint=checkpoint,
                request=request.model_dump(mode="json"),
                position=_last_position(session) + 1,
                num_steps=request.sampling.num_inference_steps * request.count,
                created_at=datetime.now(UTC),
            )
            session.add(row)
            session.flush()
            return _job(row)

    def get(self, job_id: str) -> Job:
        """One job. Raises JobNotFound."""
        with self._session() as session:
            return _job(_row(session, job_id))

    def newest(self, limit: int, state: JobState | None = None) -> list[Job]:
        """The newest jobs, newest first."""
        query = select(JobRow).order_by(JobRow.number.desc()).limit(limit)
        if state is not None:
            query = query.where(JobRow.state == state)
        with self._session() as session:
            return _readable(session.scalars(query))

    def open_jobs(self) -> list[Job]:
        """Every job that has not ended, in the order of running."""
        states = (JobState.QUEUED, JobState.RUNNING)
        query = select(JobRow).where(JobRow.state.in_(states)).order_by(JobRow.position)
        with self._session() as session:
            return _readable(session.scalars(query))

    def claim(self, checkpoint: str) -> Job | None:
        """Queued to running: the job that is next on a checkpoint. One that cannot be read fails."""
        query = select(JobRow).where(JobRow.state == JobState.QUEUED, JobRow.checkpoint == checkpoint)
        with self._session() as session:
            for row in session.scalars(query.order_by(JobRow.position)):
                try:
                    _job(row)
                except StorageError as error:
                    _fail(row, error)
                else:
                    _apply(row, JobState.RUNNING, started_at=datetime.now(UTC))
                    return _job(row)
        return None

    def waiting_checkpoints(self) -> list[tuple[str, int]]:
        """Checkpoints with queued jobs and the position of the first of them, in the order of running."""
        first = func.min(JobRow.position)
        query = select(JobRow.checkpoint, first).where(JobRow.state == JobState.QUEUED).group_by(JobRow.checkpoint)
        with self._session() as session:
            return [(str(name), int(position)) for name, position in session.execute(query.order_by(first))]

    def queued_on(self, checkpoint: str) -> list[str]:
        """Ids of the jobs that wait for a checkpoint, in the order of running."""
        query = select(JobRow.id).where(JobRow.state == JobState.QUEUED, JobRow.checkpoint == checkpoint)
        with self._session() as session:
            return list(session.scalars(query.order_by(JobRow.position)))

    def unmade(self) -> frozenset[str]:
        """Ids of all jobs that have not succeeded: whatever lies in the store of theirs belongs to nobody."""
        with self._session() as session:
            return frozenset(session.scalars(select(JobRow.id).where(JobRow.state != JobState.SUCCEEDED)))

    def counts(self) -> dict[str, int]:
        """How many jobs there are in each state."""
        query = select(JobRow.state, func.count()).group_by(JobRow.state)
        with self._session() as session:
            return {str(state): int(count) for state, count in session.execute(query)}

    def rewrite(self, job_id: str, request: Request) -> Job:
        """What a running job asks for now: its prompt has been written anew."""
        with self._session() as session:
            row = _row(session, job_id)
            row.request = request.model_dump(mode="json")
            return _job(row)

    def succeed(
        self, job_id: str, results: Sequence[MediaReference], stopped_at_step: int | None, num_steps: int | None = None
    ) -> Job:
        """Running to succeeded, with what was made, in how many steps if that was not known when it was accepted."""
        return self._move(
            job_id,
            JobState.SUCCEEDED,
            **_known(num_steps=num_steps),
            results=[result.model_dump(mode="json") for result in results],
            stopped_at_step=stopped_at_step,
            finished_at=datetime.now(UTC),
        )

    def fail(self, job_id: str, failure: Failure, *, attempts: int = 0) -> Job:
        """To failed, with the reason; the number is added to the job's own."""
        with self._session() as session:
            row = _row(session, job_id)
            _fail(row, failure.error())
            row.attempts += attempts
            return _job(row)

    def cancel(self, job_id: str, step: int | None = None, num_steps: int | None = None) -> Job:
        """To cancelled, after so many of so many steps."""
        changes = _known(num_steps=num_steps)
        return self._move(job_id, JobState.CANCELLED, stopped_at_step=step, finished_at=datetime.now(UTC), **changes)

    def put_back(self, job_id: str, *, attempts: int = 0, returns: int = 0) -> Job:
        """Running to queued, first in line; the numbers are added to the job's own."""
        with self._session() as session:
            row = _row(session, job_id)
            _apply(row, JobState.QUEUED, position=_first_position(session) - 1, started_at=None)
            row.attempts += attempts
            row.returns += returns
            return _job(row)

    def retry(self, job_id: str) -> Job:
        """A failed or cancelled job to the end of the queue, its past forgotten. Raises Conflict for any other."""
        with self._session() as session:
            row = _row(session, job_id)
            if row.state == JobState.RUNNING:  # which goes back to the queue too, when its worker has died
                raise Conflict(f"Job {job_id} is running.", hint="Wait until it ends, or cancel it first.")
            forgotten = {"attempts": 0, "returns": 0, "error": None, "started_at": None, "finished_at": None}
            _apply(row, JobState.QUEUED, position=_last_position(session) + 1, stopped_at_step=None, **forgotten)
            return _job(row)

    def recover(self, *, returns: int) -> list[Job]:
        """Nobody runs anything any more: running jobs go back first in line in their old order.

        Args:
            returns: 1 after a server's death, 0 when it was told to stop. A job that came back too often fails.
        """
        query = select(JobRow).where(JobRow.state == JobState.RUNNING).order_by(JobRow.position.desc())
        recovered: list[Job] = []
        with self._session() as session:
            for row in list(session.scalars(query)):
                _apply(row, JobState.QUEUED, position=_first_position(session) - 1, started_at=None)
                row.returns += returns
                session.flush()
                try:
                    recovered.append(_job(_fail_if_worn_out(row)))
                except StorageError as error:
                    _fail(row, error)
        return recovered

    def close(self) -> None:
        """Let go of the database file."""
        self._engine.dispose()

    def _move(self, job_id: str, state: JobState, **changes: Any) -> Job:
        with self._session() as session:
            row = _row(session, job_id)
            _apply(row, state, **changes)
            return _job(row)

    @contextmanager
    def _session(self) -> Generator[Session]:
        try:
            with Session(self._engine) as session, session.begin():
                yield session
        except DatabaseError as error:
            code = error.orig.sqlite_errorcode if isinstance(error.orig, sqlite3.Error) else 0
            if code == SQLITE_FULL:
                raise DiskFull(
                    "The disk is full: the job could not be written down.", hint="Free some room and send it again."
                ) from None
            raise StorageError(f"The database did not answer: {error.orig}.", hint="Look at the data folder.") from None


def _apply(row: JobRow, state: JobState, **changes: Any) -> None:
    check_move(row.id, JobState(row.state), state)
    row.state = state
    for name, value in changes.items():
        setattr(row, name, value)


def _known(**changes: Any) -> dict[str, Any]:
    """The changes that say something."""
    return {name: value for name, value in changes.items() if value is not None}


def _fail(row: JobRow, error: StudioError) -> None:
    _apply(row, JobState.FAILED, error=Failure.of(error).model_dump(mode="json"), finished_at=datetime.now(UTC))


def _fail_if_worn_out(row: JobRow) -> JobRow:
    if row.returns >= MAX_RETURNS:
        said = f"The server died {row.returns} times while this job ran."
        _fail(row, EngineLost(said, hint="Look at the log, then retry it."))
    return row


def _row(session: Session, job_id: str) -> JobRow:
    row = session.scalars(select(JobRow).where(JobRow.id == job_id)).first()
    if row is None:
        raise JobNotFound(f"There is no job {job_id[:80]!r}.", hint="GET /v1/jobs lists them.")
    return row


def _last_position(session: Session) -> int:
    return session.scalar(select(func.max(JobRow.position))) or 0


def _first_position(session: Session) -> int:
    return session.scalar(select(func.min(JobRow.position)).where(JobRow.state == JobState.QUEUED)) or 0


def _readable(rows: Iterable[JobRow]) -> list[Job]:
    """The jobs of rows; one that cannot be read is left out, and does not take the others with it."""
    jobs: list[Job] = []
    for row in rows:
        try:
            jobs.append(_job(row))
        except StorageError as error:
            log.error("job_unreadable", job_id=row.id, reason=error.message)
    return jobs


def _job(row: JobRow) -> Job:
    try:
        return _read(row)
    except (BadInput, ValueError) as error:
        raise StorageError(
            f"Job {row.id} was written by another version of Orrery: {error}", hint="Ask for it anew."
        ) from None


def _read(row: JobRow) -> Job:
    state = JobState(row.state)
    return Job(
        id=row.id,
        kind=row.kind,
        state=state,
        checkpoint=row.checkpoint,
        request=parse_request(row.request),
        progress=_progress(row, state),
        created_at=row.created_at,
        started_at=row.started_at,
        finished_at=row.finished_at,
        position=row.position,
        attempts=row.attempts,
        returns=row.returns,
        stopped_at_step=row.stopped_at_step,
        results=tuple(MediaReference.model_validate(result) for result in row.results),
        error=Failure.model_validate(row.error) if row.error else None,
    )


def _progress(row: JobRow, state: JobState) -> Progress:
    if state is JobState.SUCCEEDED:
        step = row.num_steps if row.stopped_at_step is None else row.stopped_at_step
        return Progress(phase="ended", step=step, steps=row.num_steps)
    phase = "ended" if state.ended else "starting" if state is JobState.RUNNING else "waiting"
    return Progress(phase=phase, step=row.stopped_at_step or 0, steps=row.num_steps)
