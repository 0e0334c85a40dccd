"""Refinements as rows, and what the library knows of their results."""

from __future__ import annotations

import structlog
from pydantic import ValidationError
from sqlalchemy import select, update
from sqlalchemy.dialects import sqlite
from sqlalchemy.orm import Session

from backend.database import Database
from backend.database.tables import ArtefactRow, CriticScoreRow, RefinementRow
from studio.errors import RefinementNotFound, StorageError
from studio.refinements import Refinement
from studio.requests import shown

log = structlog.get_logger("orrery.refining")

_SCORE = sqlite.insert(CriticScoreRow)
_KEEP_SCORES = _SCORE.on_conflict_do_update(["media_id"], set_={"score": _SCORE.excluded.score})


class RefinementStore:
    """Writes refinements down and finds them again. Every method raises StorageError."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, tree: Refinement) -> None:
        """Write down a new one."""
        row = RefinementRow(id=tree.id, state=tree.state, document=tree.model_dump(mode="json"))
        await self._database.write(lambda session: session.add(row))

    async def put(self, tree: Refinement) -> None:
        """Write one down as it is now, and its scores; nothing happens where it has been deleted meanwhile."""
        document = tree.model_dump(mode="json")
        scores = scores_of(tree)

        def change(session: Session) -> None:
            tree_row = update(RefinementRow).where(RefinementRow.id == tree.id).returning(RefinementRow.id)
            written = session.scalars(tree_row.values(state=tree.state, document=document)).all()
            if written and scores:
                session.execute(_KEEP_SCORES, scores)

        await self._database.write(change)

    async def get(self, name: str) -> Refinement:
        """One of them. Raises RefinementNotFound, and StorageError where another version wrote it."""

        def look(session: Session) -> Refinement | None:
            row = session.scalars(select(RefinementRow).where(RefinementRow.id == name)).first()
            return None if row is None else _read(row)

        found = await self._database.look(look)
        if found is None:
            raise RefinementNotFound(f"There is no refinement {shown(name)}.", hint="GET /v1/refinements lists them.")
        return found

    async def newest(self, limit: int) -> list[Refinement]:
        """The newest ones, newest first; one that cannot be read is left out."""
        return await self._several(limit, running=False)

    async def running(self) -> list[Refinement]:
        """Those that ran when the server died, newest first."""
        return await self._several(None, running=True)

    async def link(self, media_id: str, made_after: str) -> None:
        """Write down which result another one was made after, so that each is found from the other."""
        linked = update(ArtefactRow).where(ArtefactRow.id == media_id).values(source_id=made_after)
        await self._database.write(lambda session: session.execute(linked))

    async def _several(self, limit: int | None, *, running: bool) -> list[Refinement]:
        query = select(RefinementRow).order_by(RefinementRow.number.desc()).limit(limit)
        if running:
            query = query.where(RefinementRow.state == "running")

        def look(session: Session) -> list[Refinement]:
            found: list[Refinement] = []
            for row in session.scalars(query):
                try:
                    found.append(_read(row))
                except StorageError as error:
                    log.error("refinement_unreadable", refinement_id=row.id, reason=error.message)
            return found

        return await self._database.look(look)


def scores_of(tree: Refinement) -> list[dict[str, str | float]]:
    """What its critic has said of each result, as rows."""
    return [
        {"media_id": node.media.id, "score": node.critique.overall_score}
        for node in tree.nodes
        if node.media is not None and node.critique is not None
    ]


def _read(row: RefinementRow) -> Refinement:
    try:
        return Refinement.model_validate(row.document)
    except ValidationError as error:
        raise StorageError(
            f"Refinement {row.id} was written by another version of Orrery: {error.error_count()} fields do not fit.",
            hint="Start it again.",
        ) from None
