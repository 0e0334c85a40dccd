"""The ledger: every job that was ever accepted, and the only place that writes one down.

Places in the queue are numbers with gaps between them, so that a job is moved without touching the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.orm import Session

from backend.database import Database
from backend.database.tables import JobInputRow, JobRow, SwitchRow
from backend.jobs.eta import pace_key, step_work
from backend.jobs.rows import PRIORITIES, RANKS, fail_row, find_row, job_of, move_row, page_of, readable
from backend.library.recording import add_results, check_room, is_full
from studio.errors import Conflict, EngineLost, QuotaExceeded, StorageError
from studio.jobs import MAX_RETURNS, BatchPlace, Failure, Job, JobState, Priority, Verdict
from studio.media import MediaReference
from studio.requests import Request, media_of
from studio.requests.kinds import KINDS

PAUSED = "queue_paused"
"""The switch that is there while the queue is paused."""


@dataclass(frozen=True)
class Accepted:
    """A request that may be queued as it is.

    Attributes:
        checkpoint: the id of the one that runs it.
        guardrail: what the guardrail said of it.
        sized: the request with its length, where its clips decide that; none where it says so itself.
        evaluation: a benchmark's run asks for it.
    """

    job_id: str
    request: Request
    checkpoint: str
    guardrail: Verdict | None = None
    sized: Request | None = None
    evaluation: bool = False


class Ledger:
    """Jobs as rows. Every method is one transaction; a method that returns has been written to disk.

    Args:
        database: theirs.
        quota_bytes: what the library may hold, or none.

    Attributes:
        num_spreads: how often all queued jobs were given other positions, because there was no room between two.
    """

    def __init__(self, database: Database, quota_bytes: int | None = None) -> None:
        self._database = database
        self._quota_bytes = quota_bytes
        self.num_spreads = 0

    @property
    def database(self) -> Database:
        """Where the rows are, and the threads that reach them."""
        return self._database

    def transaction(self) -> AbstractContextManager[Session]:
        """For what is asked beside this class; raises as `Database.transaction`."""
        return self._database.transaction()

    def insert(self, accepted: Accepted, priority: Priority = "normal", batch: BatchPlace | None = None) -> Job:
        """Accept a job at the end of the queue, or before those of less priority."""
        with self.transaction() as session:
            return self.add(session, accepted, priority, batch)

    def add(
        self, session: Session, accepted: Accepted, priority: Priority = "normal", batch: BatchPlace | None = None
    ) -> Job:
        """`insert` as a part of something larger."""
        request, checkpoint = accepted.request, accepted.checkpoint
        sized = accepted.sized or request
        row = JobRow(
            id=accepted.job_id,
            kind=request.kind,
            state=JobState.QUEUED,
            checkpoint=checkpoint,
            request=request.model_dump(mode="json"),
            position=self.placed(place_by_priority(session, priority)),
            priority=RANKS[priority],
            batch_id=batch.id if batch else None,
            batch_index=batch.index if batch else None,
            batch_size=batch.size if batch else None,
            num_steps=request.sampling.num_inference_steps * request.count,
            pace_key=pace_key(sized, checkpoint),
            step_work=step_work(sized),
            guardrail=accepted.guardrail,
            evaluation=accepted.evaluation,
            created_at=datetime.now(UTC),
        )
        session.add(row)
        inputs = dict.fromkeys(medium.id for medium in media_of(request))
        session.add_all(JobInputRow(job_id=row.id, media_id=name) for name in inputs)
        session.flush()
        return job_of(row)

    def get(self, job_id: str) -> Job:
        """One job. Raises JobNotFound."""
        with self.transaction() as session:
            return job_of(find_row(session, job_id))

    def newest(self, limit: int, state: JobState | None = None) -> list[Job]:
        """The newest jobs, newest first."""
        return self.page(limit, state)[0]

    def page(
        self, limit: int, state: JobState | None = None, before: int | None = None
    ) -> tuple[list[Job], int | None]:
        """The newest jobs before a number, newest first, and the number that the next page is before, if any."""
        with self.transaction() as session:
            return page_of(session, limit, state, before)

    def newest_of_kinds(self, limit: int) -> list[Job]:
        """The newest jobs of every kind, so many of each; of a batch its first alone, however large it is."""
        with self.transaction() as session:
            return [
                job
                for kind in KINDS
                for job in readable(
                    session.scalars(
                        select(JobRow)
                        .where(JobRow.kind == kind, or_(JobRow.batch_index.is_(None), JobRow.batch_index == 0))
                        .order_by(JobRow.number.desc())
                        .limit(limit)
                    )
                )
            ]

    def open_jobs(self, limit: int | None = None) -> list[Job]:
        """Jobs that have not ended, in the order of running; the first ones where there is a limit."""
        states = (JobState.RUNNING, JobState.QUEUED)
        query = select(JobRow).where(JobRow.state.in_(states)).order_by(JobRow.state.desc(), JobRow.position)
        with self.transaction() as session:
            return readable(session.scalars(query.limit(limit)))

    def claim(self, checkpoint: str) -> Job | None:
        """Queued to running: the job that is next on a checkpoint. One that cannot be read fails."""
        query = select(JobRow).where(JobRow.state == JobState.QUEUED, JobRow.checkpoint == checkpoint)
        with self.transaction() as session:
            if self.is_held(session):
                return None
            for row in session.scalars(query.order_by(JobRow.position)):
                try:
                    job_of(row)
                except StorageError as error:
                    fail_row(row, error)
                else:
                    move_row(row, JobState.RUNNING, started_at=datetime.now(UTC))
                    return job_of(row)
        return None

    def placed(self, place: Place) -> int:
        """The position of a place, which is counted where others have moved for it."""
        self.num_spreads += place.is_spread
        return place.position

    def is_held(self, session: Session) -> bool:
        """Whether nothing is started: the queue is paused, or what would be made has no room."""
        return self.is_paused(session) or self.is_full(session)

    def is_paused(self, session: Session) -> bool:
        """Whether somebody has paused the queue."""
        return session.get(SwitchRow, PAUSED) is not None

    def is_full(self, session: Session) -> bool:
        """Whether the library is at its quota."""
        return is_full(session, self._quota_bytes)

    def waiting_checkpoints(self) -> list[tuple[str, int]]:
        """Checkpoints with queued jobs and the position of the first of them, in the order of running."""
        first = func.min(JobRow.position)
        query = select(JobRow.checkpoint, first).where(JobRow.state == JobState.QUEUED).group_by(JobRow.checkpoint)
        with self.transaction() as session:
            if self.is_held(session):
                return []
            return [(str(name), int(position)) for name, position in session.execute(query.order_by(first))]

    def queued_on(self, checkpoint: str) -> list[str]:
        """Ids of the jobs that wait for a checkpoint, in the order of running."""
        query = select(JobRow.id).where(JobRow.state == JobState.QUEUED, JobRow.checkpoint == checkpoint)
        with self.transaction() as session:
            return list(session.scalars(query.order_by(JobRow.position)))

    def unmade(self) -> frozenset[str]:
        """Ids of all jobs that have not succeeded: whatever lies in the store of theirs belongs to nobody."""
        with self.transaction() as session:
            return frozenset(session.scalars(select(JobRow.id).where(JobRow.state != JobState.SUCCEEDED)))

    def counts(self) -> dict[str, int]:
        """How many jobs there are in each state."""
        query = select(JobRow.state, func.count()).group_by(JobRow.state)
        with self.transaction() as session:
            return {str(state): int(count) for state, count in session.execute(query)}

    def rewrite(self, job_id: str, request: Request, guardrail: Verdict | None) -> Job:
        """What a running job asks for now, and what is said of it: its prompt has been written anew, or read."""
        with self.transaction() as session:
            row = find_row(session, job_id)
            row.request, row.guardrail = request.model_dump(mode="json"), guardrail
            return job_of(row)

    def succeed(
        self, job_id: str, results: Sequence[MediaReference], stopped_at_step: int | None, num_steps: int | None = None
    ) -> Job:
        """Running to succeeded, with what was made and its place in the library: both are there, or neither.

        What the library has no room for fails the job.

        Args:
            num_steps: of it all, if that was not known when it was accepted.
        """
        with self.transaction() as session:
            row = find_row(session, job_id)
            try:
                check_room(session, self._quota_bytes, sum(result.size_bytes for result in results))
            except QuotaExceeded as error:
                fail_row(row, error)
                return job_of(row)
            move_row(
                row,
                JobState.SUCCEEDED,
                **_known(num_steps=num_steps),
                results=[result.model_dump(mode="json") for result in results],
                stopped_at_step=stopped_at_step,
                finished_at=datetime.now(UTC),
            )
            add_results(session, row, results)
            return job_of(row)

    def fail(self, job_id: str, failure: Failure, *, attempts: int = 0) -> Job:
        """To failed, with the reason; the number is added to the job's own."""
        with self.transaction() as session:
            row = find_row(session, job_id)
            fail_row(row, failure.error())
            row.attempts += attempts
            return job_of(row)

    def cancel(self, job_id: str, step: int | None = None, num_steps: int | None = None) -> Job:
        """To cancelled, after so many of so many steps."""
        with self.transaction() as session:
            row = find_row(session, job_id)
            changes = {"stopped_at_step": step, "finished_at": datetime.now(UTC), **_known(num_steps=num_steps)}
            move_row(row, JobState.CANCELLED, **changes)
            return job_of(row)

    def put_back(self, job_id: str, *, attempts: int = 0, returns: int = 0) -> Job:
        """Running to queued, first in line; the numbers are added to the job's own."""
        with self.transaction() as session:
            row = find_row(session, job_id)
            move_row(row, JobState.QUEUED, position=first_position(session), started_at=None)
            row.attempts += attempts
            row.returns += returns
            return job_of(row)

    def retry(self, job_id: str, guardrail: Verdict | None = None) -> Job:
        """A failed or cancelled job behind the last of its priority, its past forgotten; Conflict for any other.

        Args:
            guardrail: what is said of it now.
        """
        with self.transaction() as session:
            row = find_row(session, job_id)
            if row.state == JobState.RUNNING:  # which goes back to the queue too, when its worker has died
                raise Conflict(f"Job {job_id} is running.", hint="Wait until it ends, or cancel it first.")
            forgotten = {"attempts": 0, "returns": 0, "error": None, "started_at": None, "finished_at": None}
            position = self.placed(place_by_priority(session, PRIORITIES[row.priority]))
            move_row(row, JobState.QUEUED, position=position, stopped_at_step=None, guardrail=guardrail, **forgotten)
            return job_of(row)

    def recover(self, *, returns: int) -> list[Job]:
        """Nobody runs anything any more: running jobs go back first in line in their old order.

        Args:
            returns: 1 after a server's death, 0 when it was told to stop. A job that came back too often fails.
        """
        query = select(JobRow).where(JobRow.state == JobState.RUNNING).order_by(JobRow.position.desc())
        recovered: list[Job] = []
        with self.transaction() as session:
            for row in list(session.scalars(query)):
                move_row(row, JobState.QUEUED, position=first_position(session), started_at=None)
                row.returns += returns
                session.flush()
                try:
                    recovered.append(job_of(_fail_if_worn_out(row)))
                except StorageError as error:
                    fail_row(row, error)
        return recovered

    def close(self) -> None:
        """Let go of the database file."""
        self._database.close()


def _known(**changes: Any) -> dict[str, Any]:
    """The changes that say something."""
    return {name: value for name, value in changes.items() if value is not None}


def _fail_if_worn_out(row: JobRow) -> JobRow:
    if row.returns >= MAX_RETURNS:
        said = f"The server stopped {row.returns} times while this job ran."
        fail_row(row, EngineLost(said, hint="Check the log, then retry the job."))
    return row


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
