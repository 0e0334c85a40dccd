"""Comparisons and what was measured in them, as an import brings them in. Their cells are jobs, which came before."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from backend.comparisons.grid import Grid
from backend.database.comparison_tables import ComparisonRow, MeasurementRow
from backend.database.tables import JobRow
from backend.library.records import Keep, RecordSort, Row, behind_all, document_in, id_in, moment_in
from backend.media.file_names import is_media_name
from studio.comparisons import MAX_CELLS, MAX_SHOWN, MAX_SUBJECTS, START_MODES, Likeness

MAX_LABEL = 1000
"""Characters of a title, a row or a column: a subject's label with the start that it is made from is shorter."""
MAX_COLUMNS = 1 + MAX_SHOWN + MAX_CELLS


def _comparison(row: Row) -> Keep:
    comparison_id, created_at = id_in(row), moment_in(row, "created_at")
    grid = document_in(row, Grid)
    _check(grid)
    shown = frozenset(place.media_id for place in grid.places if place.media_id)

    def keep(session: Session) -> frozenset[str] | None:
        if session.scalar(select(func.count()).where(ComparisonRow.id == comparison_id)):
            return None
        number = behind_all(session, ComparisonRow.number)
        document = grid.model_dump(mode="json")
        session.add(ComparisonRow(number=number, id=comparison_id, document=document, created_at=created_at))
        made = session.scalars(select(JobRow.results).where(JobRow.batch_id == comparison_id))
        return shown | {result["id"] for results in made for result in results}

    return keep


def _check(grid: Grid) -> None:
    """Raises ValueError where nobody could have asked for it."""
    if len(grid.rows) > MAX_SUBJECTS * len(START_MODES) or len(grid.columns) > MAX_COLUMNS:
        raise ValueError(f"its grid has {len(grid.rows):,} rows and {len(grid.columns):,} columns")
    if any(len(label) > MAX_LABEL for label in (grid.title, *grid.rows, *(column.label for column in grid.columns))):
        raise ValueError("a label of its grid is too long")
    spots = {(place.row, place.column) for place in grid.places}
    if len(spots) < len(grid.places):
        raise ValueError("two of its cells are in one place")
    if any(not (0 <= row < len(grid.rows) and 0 <= column < len(grid.columns)) for row, column in spots):
        raise ValueError("a cell is not in its grid")
    if any((place.media_id is None) == (place.index is None) for place in grid.places):
        raise ValueError("a cell is neither an item nor made, or both")
    if not all(is_media_name(place.media_id) for place in grid.places if place.media_id is not None):
        raise ValueError("a cell names what is no item")
    made = sorted(place.index for place in grid.places if place.index is not None)
    if made != list(range(len(made))) or len(made) > MAX_CELLS or not grid.refused.keys() <= set(made):
        raise ValueError("its cells are not counted from 0")


def _measurement(row: Row) -> Keep:
    names = (str(row["media_id"]), str(row["against_id"]))
    if not is_media_name(names[0]) or not (names[1] == "" or is_media_name(names[1])):
        raise ValueError("what was measured is no item")
    document = document_in(row, Likeness).model_dump(mode="json")

    def keep(session: Session) -> frozenset[str] | None:
        if session.get(MeasurementRow, names) is not None:
            return None
        session.add(MeasurementRow(media_id=names[0], against_id=names[1], document=document))
        return frozenset()

    return keep


COMPARISON_RECORDS = (
    RecordSort("comparisons", "comparisons", _comparison),
    RecordSort("measurements", "measurements", _measurement),
)
