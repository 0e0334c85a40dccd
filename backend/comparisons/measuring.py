"""Measuring the cells of a comparison: once each, when somebody asks, one at a time beside everything else."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import structlog
from sqlalchemy.orm import Session

from backend.comparisons.likeness import Followed, likeness
from backend.comparisons.service import ComparisonService
from backend.database.comparison_tables import MeasurementRow
from backend.media import MediaStore
from studio.comparisons import Cell, Comparison, Likeness
from studio.errors import StudioError
from studio.requests import TransferVideo

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
            for task in self._open(comparison):
                found = await asyncio.get_running_loop().run_in_executor(self._pool, self._measured, task)
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

    def _measured(self, task: _Task) -> Likeness:
        try:
            against = self._store.file(task.against_id) if task.against_id else None
            return likeness(self._store.file(task.media_id), against, task.followed)
        except StudioError as error:  # a file that went, or cannot be decoded: said in its cell, and not tried again
            log.warning("unmeasured", media_id=task.media_id, against_id=task.against_id, reason=error.message)
            return Likeness(note=error.message)

    def _open(self, comparison: Comparison) -> Sequence[_Task]:
        references = {
            cell.row: cell.item.id
            for cell in comparison.cells
            if comparison.columns[cell.column].role == "reference" and cell.item is not None
        }
        # Where a row's reference has left the library there is nothing to measure against, now or later.
        lost = {
            cell.row
            for cell in comparison.cells
            if comparison.columns[cell.column].role == "reference" and cell.item is None
        }
        found: dict[tuple[str, str], _Task] = {}
        for cell in comparison.cells:
            if cell.item is None or cell.item.missing or cell.likeness is not None or cell.row in lost:
                continue
            against = references.get(cell.row, "")
            followed = self._followed(cell)
            if cell.item.id != against and (against or followed):
                found[cell.item.id, against] = _Task(cell.item.id, against, followed)
        return list(found.values())

    def _followed(self, cell: Cell) -> tuple[Followed, ...]:
        """Controls that can be computed of the result too; depth and what is segmented cannot."""
        request = cell.job.request if cell.job else None
        if not isinstance(request, TransferVideo):
            return ()
        try:
            source = self._file(request.source_video)
            return tuple(
                Followed(control.hint, self._file(control.video), source, control.strength or "medium")
                for control in request.controls
                if control.hint in ("edge", "blur")
            )
        except StudioError:  # what it followed was removed since
            return ()

    def _file(self, media_id: str | None) -> Path | None:
        return self._store.file(media_id) if media_id else None
