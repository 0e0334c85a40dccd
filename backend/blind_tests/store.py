"""Blind tests, pairs and verdicts as rows; what is there twice is written once."""

from __future__ import annotations

from sqlalchemy import delete, func, select
from sqlalchemy.dialects import sqlite
from sqlalchemy.orm import Session

from backend.database import Database
from backend.database.evaluation_tables import BlindPairRow, BlindTestRow, BlindVerdictRow
from studio.blind_tests import AddBlindPair, BlindPair, BlindTest, BlindVerdict
from studio.errors import StudyNotFound, VoteNotFound
from studio.requests import shown


class BlindTestStore:
    """Writes blind tests down and finds them again. Every method raises StorageError."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def add(self, test: BlindTest) -> None:
        """Write down a new one."""
        document = test.model_dump(mode="json", exclude={"num_pairs", "num_verdicts"})
        await self.database.write(lambda session: session.add(BlindTestRow(id=test.id, document=document)))

    async def get(self, test_id: str) -> BlindTest:
        """A test with its counts as they are. Raises StudyNotFound."""
        return await self.database.look(lambda session: _read(session, test_id))

    async def listing(self, limit: int) -> tuple[BlindTest, ...]:
        """The newest ones, newest first."""
        newest = select(BlindTestRow.id).order_by(BlindTestRow.number.desc()).limit(limit)
        return await self.database.look(
            lambda session: tuple(_read(session, test_id) for test_id in session.scalars(newest).all())
        )

    async def remove(self, test_id: str) -> None:
        """Forget a test with its pairs and verdicts."""

        def act(session: Session) -> None:
            session.execute(delete(BlindVerdictRow).where(BlindVerdictRow.test_id == test_id))
            session.execute(delete(BlindPairRow).where(BlindPairRow.test_id == test_id))
            session.execute(delete(BlindTestRow).where(BlindTestRow.id == test_id))

        await self.database.write(act)

    async def keep_pair(self, test_id: str, asked: AddBlindPair) -> BlindPair:
        """Write a pair down, and answer what stands there: of the same task the first one stays."""
        row = BlindPairRow
        document = asked.model_dump(mode="json")
        place = (row.test_id == test_id, row.task == asked.id)

        def act(session: Session) -> BlindPair:
            newest = session.scalar(select(func.max(row.place)).where(row.test_id == test_id)) or 0
            values = {"test_id": test_id, "place": newest + 1, "task": asked.id, "document": document}
            session.execute(sqlite.insert(row).values(**values).on_conflict_do_nothing())
            return _pair(session.scalars(select(row).where(*place)).one())

        return await self.database.write(act)

    async def pairs(self, test_id: str) -> list[BlindPair]:
        """All pairs of a test, in the order in which they came."""
        query = select(BlindPairRow).where(BlindPairRow.test_id == test_id).order_by(BlindPairRow.place)
        return await self.database.look(lambda session: [_pair(row) for row in session.scalars(query)])

    async def keep_verdict(self, test_id: str, verdict: BlindVerdict) -> BlindVerdict:
        """Write a verdict down, and answer what stands there: of the same rater the first one stays."""
        row = BlindVerdictRow
        values = {
            "id": verdict.id,
            "test_id": test_id,
            "pair": verdict.pair,
            "rater": verdict.rater,
            "document": verdict.model_dump(mode="json"),
        }
        once = sqlite.insert(row).values(**values).on_conflict_do_nothing()
        place = (row.test_id == test_id, row.pair == verdict.pair, row.rater == verdict.rater)

        def act(session: Session) -> BlindVerdict:
            session.execute(once)
            return BlindVerdict.model_validate(session.scalars(select(row).where(*place)).one().document)

        return await self.database.write(act)

    async def remove_verdict(self, test_id: str, verdict_id: str) -> BlindVerdict:
        """Take a verdict back. Raises VoteNotFound."""

        def act(session: Session) -> BlindVerdict:
            place = (BlindVerdictRow.test_id == test_id, BlindVerdictRow.id == verdict_id)
            row = session.scalars(select(BlindVerdictRow).where(*place)).first()
            if row is None:
                raise VoteNotFound(f"There is no verdict {shown(verdict_id)} in this blind test.")
            session.delete(row)
            return BlindVerdict.model_validate(row.document)

        return await self.database.write(act)

    async def verdicts(self, test_id: str) -> list[BlindVerdict]:
        """All verdicts of a test, in the order in which they were given."""
        row = BlindVerdictRow
        query = select(row.document).where(row.test_id == test_id).order_by(row.number)
        return await self.database.look(
            lambda session: [BlindVerdict.model_validate(found) for found in session.scalars(query)]
        )


def _read(session: Session, test_id: str) -> BlindTest:
    row = session.scalars(select(BlindTestRow).where(BlindTestRow.id == test_id)).first()
    if row is None:
        raise StudyNotFound(
            f"There is no blind test {shown(test_id)}.", param="test", hint="GET /v1/blind-tests lists them."
        )

    def counted(kind: type[BlindPairRow] | type[BlindVerdictRow]) -> int:
        return session.scalar(select(func.count()).select_from(kind).where(kind.test_id == test_id)) or 0

    counts = {"num_pairs": counted(BlindPairRow), "num_verdicts": counted(BlindVerdictRow)}
    return BlindTest.model_validate({**row.document, **counts})


def _pair(row: BlindPairRow) -> BlindPair:
    return BlindPair.model_validate({**row.document, "number": row.place})
