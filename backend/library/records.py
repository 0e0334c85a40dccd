"""What other parts of the studio write down about items, as an import brings it in: row by row, each looked at first.

Every sort is one table. What its rows must be knows whoever writes them; here is how any of them comes in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar

import structlog
from pydantic import BaseModel, ValidationError
from pydantic_core import from_json
from sqlalchemy import func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from backend.database import Database
from backend.database.tables import ArtefactRow
from backend.library.export_file import ExportFile
from studio.import_report import BroughtRecords, RecordName, RefusedRecord
from studio.requests import cut, explain

Document = TypeVar("Document", bound=BaseModel)

log = structlog.get_logger("orrery.import")

Row = Mapping[str, Any]
"""A row of an export: columns to whatever stands there."""

Keep = Callable[[Session], frozenset[str] | None]
"""Writes a record down, and answers the media that it names; none where it is here already, which stays.

Raises:
    ValueError: what it belongs to is not here.
"""

AT_ONCE = 50
"""Records that are written in one transaction."""
AT_ONCE_CHARACTERS = 4 * 2**20
"""Or fewer: a refinement's tree may have megabytes."""
MAX_REFUSALS = 20
"""That are told one by one."""

_ID = re.compile(r"[0-9a-f]{12}")


@dataclass(frozen=True)
class RecordSort:
    """One sort of records.

    Attributes:
        table: where an export has them, the oldest first.
        read: what a row says. Raises ValueError where it could not have been written here.
    """

    name: RecordName
    table: str
    read: Callable[[Row], Keep]


def bring_records(database: Database, export: ExportFile, sort: RecordSort) -> BroughtRecords:
    """All records of a sort that are not here yet. Whole records come in, and what a kill leaves out comes next time.

    Raises:
        DiskFull, StorageError: the rest does not go in; what came in before stays.
    """
    count = _Count()
    for rows in _some_at_once(export.rows(sort.table, newest_first=True)):  # each goes behind what is here
        read: list[tuple[Row, Keep]] = []
        for row in rows:
            try:
                read.append((row, sort.read(row)))
            except ValueError as error:
                count.refuse(sort, row, error)
        database.in_turn(partial(_keep, database, sort, read, count))
    return BroughtRecords(
        num_added=count.added,
        num_known=count.known,
        num_refused=count.refused,
        num_lost_media=count.lost,
        refusals=tuple(count.refusals),
    )


def behind_all(session: Session, number: InstrumentedAttribute[int]) -> int:
    """The number of a row that is to be older than every row that is here."""
    return min(0, session.scalar(select(func.min(number))) or 0) - 1


def absent(session: Session, media: frozenset[str]) -> frozenset[str]:
    """Of these media those that the library does not have."""
    names = sorted(media)
    there: set[str] = set()
    for start in range(0, len(names), 500):  # SQLite bounds the parameters of a statement
        wanted = ArtefactRow.id.in_(names[start : start + 500])
        there |= set(session.scalars(select(ArtefactRow.id).where(wanted, ~ArtefactRow.erasing)))
    return media - there


def is_id(text: str) -> bool:
    """Whether it is twelve hexadecimal digits, as everything is called that is no medium."""
    return _ID.fullmatch(text) is not None


def id_in(row: Row, column: str = "id") -> str:
    """An id; see `is_id`. Raises ValueError."""
    value = row[column]
    if not isinstance(value, str) or not is_id(value):
        raise ValueError(f"its {column} is none")
    return value


def text_in(row: Row, column: str, most: int, *, least: int = 0) -> str:
    """A text with so many characters. Raises ValueError."""
    value = row[column]
    if not isinstance(value, str) or not least <= len(value) <= most:
        raise ValueError(f"its {column} is no text of {least} to {most} characters")
    return value


def number_in(row: Row, column: str, least: int, most: int) -> int:
    """A whole number between two, both included. Raises ValueError."""
    value = row[column]
    if not isinstance(value, int) or not least <= value <= most:
        raise ValueError(f"its {column} is no number from {least} to {most}")
    return value


def moment_in(row: Row, column: str) -> datetime:
    """A moment, in UTC. Raises ValueError."""
    return datetime.fromisoformat(str(row[column])).replace(tzinfo=UTC)


def is_said(row: Row, column: str) -> bool:
    """Whether a column of JSON says anything: nothing is there as SQL's null and as JSON's."""
    return row[column] not in (None, "null")


def json_in(row: Row, column: str) -> Any:
    """What a column's JSON says. Raises ValueError, also where it is nested too deep."""
    return from_json(str(row[column]), allow_inf_nan=False)


def document_in(row: Row, model: type[Document], column: str = "document") -> Document:
    """What a column's JSON says, as one of ours. Raises ValueError."""
    try:
        return model.model_validate_json(str(row[column]))
    except ValidationError as error:
        raise ValueError(f"its {column} cannot be read: {explain(error, model).message}") from None


@dataclass
class _Count:
    added: int = 0
    known: int = 0
    refused: int = 0
    lost: int = 0
    refusals: list[RefusedRecord] = field(default_factory=list[RefusedRecord])

    def refuse(self, sort: RecordSort, row: Row, error: ValueError) -> None:
        name, reason = cut(str(row.get("id", next(iter(row.values()))))), cut(str(error))
        log.warning("record_not_imported", sort=sort.name, record=name, reason=reason)
        self.refused += 1
        if len(self.refusals) < MAX_REFUSALS:
            self.refusals.append(RefusedRecord(id=name, reason=reason))


def _some_at_once(rows: Iterator[Row]) -> Iterator[list[Row]]:
    some: list[Row] = []
    characters = 0
    for row in rows:
        some.append(row)
        characters += sum(len(value) for value in row.values() if isinstance(value, str | bytes))
        if len(some) >= AT_ONCE or characters >= AT_ONCE_CHARACTERS:
            yield some
            some, characters = [], 0
    if some:
        yield some


def _keep(database: Database, sort: RecordSort, read: list[tuple[Row, Keep]], count: _Count) -> None:
    with database.transaction() as session:
        for row, keep in read:
            try:
                media = keep(session)
            except ValueError as error:
                count.refuse(sort, row, error)
                continue
            session.flush()
            if media is None:
                count.known += 1
            else:
                count.added += 1
                count.lost += len(absent(session, media))
