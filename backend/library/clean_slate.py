"""Forgetting what was asked for: rows, what a database keeps of rows that are gone, and files that nobody knows."""

from __future__ import annotations

from pathlib import Path

import structlog
from sqlalchemy import delete, func, select, text
from sqlalchemy.exc import DatabaseError

from backend.database import Database
from backend.database.tables import ArtefactRow, JobRow, PaceRow, SwitchRow, Table
from studio.jobs import JobState

log = structlog.get_logger("orrery.library")

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
