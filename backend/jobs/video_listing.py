"""Jobs as `/v1/videos` lists them: those that make clips or actions, in pages, without those deleted there."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from backend.database import Database
from backend.database.tables import DeletedVideoRow, JobRow
from studio.errors import BadInput
from studio.requests import KINDS


class VideoListing:
    """Reads the ledger's rows, and writes down which of them are deleted.

    Every method raises StorageError when the database does not answer.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def page(self, after: str | None, limit: int, *, ascending: bool) -> tuple[list[str], bool]:
        """Ids of jobs, newest first unless `ascending`, and whether there are more.

        Raises:
            BadInput: `after` is no job.
        """

        def look(session: Session) -> list[str]:
            listed = [name for name, kind in KINDS.items() if not kind.can_make("image")]
            query = select(JobRow.id).where(JobRow.kind.in_(listed), ~_DELETED)
            if after is not None:
                number = session.scalar(select(JobRow.number).where(JobRow.id == after))
                if number is None:
                    raise BadInput("after is not a known video.", param="after", hint="Send last_id of a page.")
                query = query.where(JobRow.number > number if ascending else JobRow.number < number)
            order = JobRow.number.asc() if ascending else JobRow.number.desc()
            return list(session.scalars(query.order_by(order).limit(limit + 1)))

        found = await self._database.look(look)
        return found[:limit], len(found) > limit

    async def is_deleted(self, job_id: str) -> bool:
        """Whether it was deleted as a video."""
        return await self._database.look(lambda session: session.get(DeletedVideoRow, job_id) is not None)

    async def delete(self, job_id: str) -> None:
        """Write down that it was deleted; twice is once."""
        row = DeletedVideoRow(job_id=job_id, deleted_at=datetime.now(UTC))
        await self._database.write(lambda session: session.merge(row))


_DELETED = exists().where(DeletedVideoRow.job_id == JobRow.id)
