"""Removing artefacts for good, in an order that a kill at any moment leaves in order.

First it is written down what goes, then the files go, then the rows. What was written down and is still there is
gone through again at the next start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import structlog
from sqlalchemy import delete, func, select, text, update
from sqlalchemy.exc import DatabaseError
from sqlalchemy.orm import Session

from backend.database import Database
from backend.database.tables import ArtefactRow, JobRow, PaceRow, SwitchRow, Table
from backend.library.changes import rows_of
from backend.library.items import needed_by_open_jobs
from backend.library.recording import mark_results, remove_artefact
from backend.media import MediaStore
from studio.errors import Conflict
from studio.jobs import JobState

log = structlog.get_logger("orrery.library")

AT_ONCE = 100
"""Artefacts whose files are removed before others may use the database again."""


def condemn(session: Session, ids: Sequence[str] | None) -> None:
    """Write down that artefacts in the trash will go: these, or all of them.

    Raises:
        Conflict: a job that has not ended needs one of them; none goes then.
    """
    if ids is None:
        query = select(ArtefactRow).where(ArtefactRow.trashed_at.is_not(None), ~ArtefactRow.erasing)
        rows = list(session.scalars(query))
    else:
        rows = [row for row in rows_of(session, ids) if row.trashed_at is not None]
    needed = needed_by_open_jobs(session, [row.id for row in rows])
    if needed:
        media_id, job_id = next(iter(needed.items()))
        raise Conflict(
            f"Job {job_id} has not ended and needs {media_id}.",
            param="ids",
            hint="Cancel the job first, or wait until it ends.",
        )
    for row in rows:
        row.erasing = True


def condemn_all(session: Session) -> None:
    """Write down that every artefact will go, in the trash or not. Raises Conflict while a job has not ended."""
    open_job = session.scalars(select(JobRow.id).where(JobRow.state.in_((JobState.QUEUED, JobState.RUNNING)))).first()
    if open_job is not None:
        raise Conflict(f"Job {open_job} has not ended.", hint="Cancel it, or wait until it ends.")
    session.execute(update(ArtefactRow).values(erasing=True))


@dataclass(frozen=True)
class Erased:
    """What became of some that were condemned.

    Attributes:
        gone: what is no more.
        held: what the disk did not let go of.
        freed_bytes: of the files.
        jobs: ids of those that made what is gone.
    """

    gone: list[str]
    held: list[str]
    freed_bytes: int
    jobs: set[str]


def erase_some(database: Database, store: MediaStore, kept: Sequence[str] = ()) -> Erased:
    """Remove the files of some that were condemned, then their rows. Runs alone.

    Args:
        kept: those that the disk did not let go of before.
    """
    with database.transaction() as session:
        query = select(ArtefactRow.id).where(ArtefactRow.erasing, ArtefactRow.id.not_in(kept)).limit(AT_ONCE)
        condemned = list(session.scalars(query))
    gone: list[str] = []
    held: list[str] = []
    for media_id in condemned:
        try:
            store.erase(media_id)
        except OSError as error:
            log.error("file_not_erased", media_id=media_id, reason=error.strerror)
            held.append(media_id)
        else:
            gone.append(media_id)
    with database.transaction() as session:
        rows = session.scalars(select(ArtefactRow).where(ArtefactRow.id.in_(gone), ArtefactRow.erasing)).all()
        freed_bytes = sum(row.size_bytes for row in rows)
        jobs = mark_results(session, rows, deleted=True)
        for row in rows:
            remove_artefact(session, row)
    return Erased(gone, held, freed_bytes, jobs)


_KEPT = (PaceRow.__tablename__, SwitchRow.__tablename__, ArtefactRow.__tablename__, JobRow.__tablename__)
"""Tables that say nothing of what was asked for, and those that are emptied row by row."""


def forget_everything(database: Database, media: Path) -> int:
    """Remove all jobs that have ended and what hangs on them; what was asked for meanwhile stays. Runs alone.

    Args:
        media: the folder of the store.

    Returns:
        How many jobs are gone.
    """
    ended = JobRow.state.not_in((JobState.QUEUED, JobState.RUNNING))
    with database.transaction() as session:
        num_jobs = session.scalar(select(func.count()).select_from(JobRow).where(ended)) or 0
        session.execute(delete(JobRow).where(ended))
        for table in Table.metadata.sorted_tables:
            if table.name not in _KEPT:
                hanging = delete(table)
                if "job_id" in table.c:
                    hanging = hanging.where(table.c.job_id.not_in(select(JobRow.id)))
                session.execute(hanging)
        # An index of words keeps those of rows that are gone until it is merged.
        session.execute(text("INSERT INTO artefact_words (artefact_words) VALUES ('rebuild')"))
        known = set(session.scalars(select(ArtefactRow.id))) | set(session.scalars(select(JobRow.id)))
    for path in media.glob("[0-9a-z][0-9a-z]/*"):
        name = path.name.partition(".")[0]
        if name not in known and name.partition("-")[0] not in known:
            path.unlink(missing_ok=True)
    try:
        with database.engine.connect() as connection:
            connection.exec_driver_sql("VACUUM")
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    except DatabaseError as error:  # the rows are gone; what they were stands in free pages until the next time
        log.error("database_not_vacuumed", reason=str(error.orig))
    return num_jobs
