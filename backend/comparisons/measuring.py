"""Measuring the cells of a comparison: once each, when somebody asks, one at a time beside everything else."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import structlog
from sqlalchemy.orm import Session

from backend.comparisons.likeness import Followed, followed_by, follows, likeness
from backend.comparisons.service import ComparisonService
from backend.database.tables import MeasurementRow
from backend.library.items import find_artefact, request_of
from backend.media import MediaStore, run_apart
from studio.comparisons import Cell, Comparison, Likeness
from studio.errors import MediaNotFound, StudioError
from studio.requests import Request

log = structlog.get_logger("orrery.comparisons")


@dataclass(frozen=True)
class _Task:
    media_id: str
    against_id: str
    followed: tuple[Followed, ...]


class Measuring:
    """What is measured is written down, and stays as long as the database."""

    def __init__(self, comparisons: ComparisonService, store: MediaStore) -> None:
        self._comparisons = comparisons
        self._store = store
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="measuring")
        self._lock = asyncio.Lock()

    async def measure(self, comparison_id: str) -> Comparison:
        """Measure what is made and not measured yet, and answer the comparison. Raises ComparisonNotFound."""
        async with self._lock:  # who asks meanwhile finds it measured
            comparison = await self._comparisons.get(comparison_id)
            for task in await self._open(comparison):
                found = await asyncio.get_running_loop().run_in_executor(self._pool, self._measured, task)
                if found is None:
                    continue
                row = MeasurementRow(
                    media_id=task.media_id, against_id=task.against_id, document=found.model_dump(mode="json")
                )

                def keep(session: Session, row: MeasurementRow = row) -> None:
                    session.merge(row)

                await self._comparisons.write(keep)
        return await self._comparisons.get(comparison_id)

    def close(self) -> None:
        """Begin nothing more."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _measured(self, task: _Task) -> Likeness | None:
        try:
            paths = [self._store.file(name) for name in (task.media_id, task.against_id) if name]
        except MediaNotFound:  # it has just gone, and may come back
            return None
        try:
            return run_apart(likeness, paths[0], paths[1] if task.against_id else None, task.followed)
        except FileNotFoundError:
            return None
        except StudioError as error:  # it cannot be decoded: said in its cell, and not tried again
            if not all(path.exists() for path in paths):
                return None
            log.warning("unmeasured", media_id=task.media_id, against_id=task.against_id, reason=error.message)
            return Likeness(note=error.message)

    async def _open(self, comparison: Comparison) -> Sequence[_Task]:
        references = {
            cell.row: cell.item.id
            for cell in comparison.cells
            if comparison.columns[cell.column].role == "reference" and cell.item is not None
        }
        # Where a row's reference is gone there is nothing to measure against.
        lost = {
            cell.row for cell in comparison.cells if comparison.columns[cell.column].role == "reference" and cell.gone
        }
        found: dict[tuple[str, str], _Task] = {}
        for cell in comparison.cells:
            if cell.item is None or cell.item.missing or cell.row in lost:
                continue
            against = references.get(cell.row, "")
            followed = self._followed(await self._request(cell))
            if _is_whole(cell.likeness, followed):
                continue
            if cell.item.id != against and (against or followed):
                found[cell.item.id, against] = _Task(cell.item.id, against, followed)
        return list(found.values())

    async def _request(self, cell: Cell) -> Request | None:
        """What made a cell's item; of one that is shown as it is, and followed controls, as the library knows it."""
        if cell.job is not None:
            return cell.job.request
        item = cell.item
        if item is None or not follows(item.kind):
            return None
        try:
            return await self._comparisons.read(lambda session: request_of(session, find_artefact(session, item.id)))
        except MediaNotFound:  # it has just left
            return None

    def _followed(self, request: Request | None) -> tuple[Followed, ...]:
        """Controls that can be measured, all of them or none."""
        try:
            return followed_by(request, self._store)
        except MediaNotFound:  # the cell says so
            return ()


def _is_whole(found: Likeness | None, followed: tuple[Followed, ...]) -> bool:
    """Whether everything is measured that can be. What could not be at all has a note alone, and is not tried again."""
    if found is None:
        return False
    return found.has("controls") or not found.has("reference") or not followed
