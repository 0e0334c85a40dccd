"""Tunings as rows, with what was told of each step."""

from __future__ import annotations

from sqlalchemy import delete, select, update
from sqlalchemy.dialects import sqlite
from sqlalchemy.orm import Session

from backend.database import Database
from backend.database.evaluation_tables import TuningRow, TuningStepRow
from studio.errors import TuningNotFound
from studio.requests import shown
from studio.tuning import Stepped
from studio.tuning.tunings import OPEN, Tuning


class TuningStore:
    """Writes tunings down and finds them again. Every method raises StorageError."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, tuning: Tuning) -> None:
        """Write down a new one."""
        row = TuningRow(id=tuning.id, state=tuning.state, document=tuning.model_dump(mode="json"))
        await self._database.write(lambda session: session.add(row))

    async def put(self, tuning: Tuning) -> None:
        """Write one down as it is now; nothing happens where it has been deleted."""
        change = update(TuningRow).where(TuningRow.id == tuning.id)
        values = change.values(state=tuning.state, document=tuning.model_dump(mode="json"))
        await self._database.write(lambda session: session.execute(values))

    async def get(self, tuning_id: str) -> Tuning:
        """A tuning as it was last written down. Raises TuningNotFound."""

        def look(session: Session) -> Tuning:
            row = session.scalars(select(TuningRow).where(TuningRow.id == tuning_id)).first()
            if row is None:
                raise TuningNotFound(f"There is no tuning {shown(tuning_id)}.", hint="GET /v1/tunings lists them.")
            return Tuning.model_validate(row.document)

        return await self._database.look(look)

    async def listing(self, limit: int) -> tuple[Tuning, ...]:
        """The newest ones, newest first."""
        query = select(TuningRow.document).order_by(TuningRow.number.desc()).limit(limit)
        return await self._database.look(
            lambda session: tuple(Tuning.model_validate(found) for found in session.scalars(query))
        )

    async def open(self) -> list[Tuning]:
        """Those that a server worked on when it ended, in the order in which they were started."""
        query = select(TuningRow.document).where(TuningRow.state.in_(OPEN)).order_by(TuningRow.number)
        return await self._database.look(
            lambda session: [Tuning.model_validate(found) for found in session.scalars(query)]
        )

    async def keep_step(self, tuning_id: str, stepped: Stepped) -> None:
        """Write down what was told of a step, in the place of what was told of it before."""
        document = stepped.model_dump(mode="json")
        statement = sqlite.insert(TuningStepRow).values(tuning_id=tuning_id, step=stepped.step, document=document)
        once = statement.on_conflict_do_update(["tuning_id", "step"], set_={"document": statement.excluded.document})
        await self._database.write(lambda session: session.execute(once))

    async def steps(self, tuning_id: str, after: int = 0) -> tuple[Stepped, ...]:
        """What was told, in the order of the steps."""
        row = TuningStepRow
        query = select(row.document).where(row.tuning_id == tuning_id, row.step > after).order_by(row.step)
        return await self._database.look(
            lambda session: tuple(Stepped.model_validate(found) for found in session.scalars(query))
        )

    async def remove(self, tuning_id: str) -> None:
        """Forget a tuning with its steps."""

        def act(session: Session) -> None:
            session.execute(delete(TuningStepRow).where(TuningStepRow.tuning_id == tuning_id))
            session.execute(delete(TuningRow).where(TuningRow.id == tuning_id))

        await self._database.write(act)
