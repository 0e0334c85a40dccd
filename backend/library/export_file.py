"""An export that somebody sent: looked at before anything of it is believed.

It may be anything. Only entries that an export has are accepted, none is larger than it says, and all together must
fit; the database in it is only read, row by row, and each row is parsed like any other input.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
import zipfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from backend.database import open_database
from backend.database.arena_tables import AnswerRow, GradeRow, QuestionRow, VoteRow
from backend.database.comparison_tables import ComparisonRow, MeasurementRow
from backend.database.refinement_table import RefinementRow
from backend.database.tables import ArtefactRow, JobRow
from backend.library.archive import DATABASE_NAME, MEDIA_FOLDER
from backend.library.own_files import MAX_OWN_FILES, OwnKind, own_kind
from backend.media.file_names import is_media_file
from studio.errors import BadInput, DatabaseTooNew, DiskFull, StorageError
from studio.requests import shown

MAX_ENTRIES = 1_000_000
MAX_RATIO = 100
"""Times that an entry may be larger than its part of the zip: pictures and clips hardly shrink, databases by ten."""

MAX_DATABASE_BYTES = 8 * 2**30
MAX_ROWS = 1_000_000
"""Of each table."""
MAX_VALUE_BYTES = 64 * 2**20
"""Of what stands in one place of a table; the largest tree of a refinement has fewer."""

TABLES = {
    kind.__tablename__: tuple(column.name for column in kind.__table__.columns)
    for kind in (
        *(JobRow, ArtefactRow, ComparisonRow, MeasurementRow, RefinementRow),
        *(QuestionRow, AnswerRow, GradeRow, VoteRow),
    )
}
"""Those that are read, with their columns."""

_MEDIA_NAME = re.compile(MEDIA_FOLDER + r"/[0-9a-z]{2}/([^/\\]{1,120})")
_CHUNK_BYTES = 2**20
_ENCRYPTED = 0x1

HINT = "Send a zip that GET /v1/library/export answered."


class ExportFile:
    """The zip of an export whose names and sizes have been checked; used as `with open_export(path) as export`."""

    def __init__(self, archive: zipfile.ZipFile, database: sqlite3.Connection) -> None:
        self._archive = archive
        self._database = database
        infos = archive.infolist()
        self._media = {match[1]: info for info in infos if (match := _MEDIA_NAME.fullmatch(info.filename))}
        self._own = {info.filename: own_kind(info.filename, info.file_size) for info in infos}

    def rows(self, table: str, *, newest_first: bool = False) -> Iterator[dict[str, Any]]:
        """Rows of one of `TABLES`, oldest first or last; `number` is the id of a row where there is one."""
        names = TABLES[table]
        order = "DESC" if newest_first else "ASC"
        for row in self._database.execute(f"SELECT {', '.join(names)} FROM {table} ORDER BY rowid {order}"):
            yield dict(zip(names, row, strict=True))

    def entry_of(self, media_id: str, suffix: str) -> zipfile.ZipInfo | None:
        """The entry of a file, if it is there."""
        return self._media.get(f"{media_id}{suffix}")

    def own_files(self, kind: OwnKind) -> list[zipfile.ZipInfo]:
        """The entries of what a person kept beside the library, by name."""
        return [self._archive.getinfo(name) for name, own in sorted(self._own.items()) if own == kind]

    def extract(self, info: zipfile.ZipInfo, place: Path) -> None:
        """Write an entry to a scratch file. Raises BadInput when it breaks off."""
        _extract(self._archive, info, place)


@contextmanager
def open_export(path: Path, folder: Path, room_bytes: int) -> Generator[ExportFile]:
    """An export.

    Args:
        path: the zip.
        folder: where its database is unpacked for as long as it is open.
        room_bytes: what all of it may take.

    Raises:
        BadInput: it is no export, or one that is not accepted.
        DatabaseTooNew: a later Orrery wrote it.
        DiskFull: it does not fit.
    """
    place = folder / DATABASE_NAME
    try:
        with zipfile.ZipFile(path) as archive:
            _check(archive.infolist(), path.stat().st_size, room_bytes)
            _extract(archive, archive.getinfo(DATABASE_NAME), place)
            _check_database(place)
            _migrate(place)
            database = sqlite3.connect(f"{place.as_uri()}?mode=ro", uri=True)
            try:
                database.execute("PRAGMA trusted_schema = OFF")
                _check_rows(database)
                yield ExportFile(archive, database)
            finally:
                database.close()
    except (zipfile.BadZipFile, zipfile.LargeZipFile, RuntimeError, EOFError) as error:  # of a way to pack it
        raise _no_export(f"it cannot be unpacked: {error}") from None
    except sqlite3.Error as error:
        raise _no_export(f"its database cannot be read: {error}") from None
    finally:
        for left in folder.glob(f"{DATABASE_NAME}*"):
            left.unlink(missing_ok=True)


def _check(infos: list[zipfile.ZipInfo], size_bytes: int, room_bytes: int) -> None:
    """Names, sizes and kinds of all entries, before one of them is unpacked."""
    names = [info.filename for info in infos]
    if DATABASE_NAME not in names:
        raise _no_export(f"{DATABASE_NAME} is not in it")
    if len(infos) > MAX_ENTRIES or len(set(names)) != len(names):
        raise _no_export("it has too many entries, or one of them twice")
    num_own = 0
    for info in infos:
        match = _MEDIA_NAME.fullmatch(info.filename)
        is_media = match is not None and is_media_file(match[1])
        is_own = own_kind(info.filename, info.file_size) is not None
        if not (info.filename == DATABASE_NAME or is_media or is_own):
            raise _no_export(f"it holds {shown(info.filename)}")
        num_own += is_own
        if info.flag_bits & _ENCRYPTED:
            raise _no_export(f"{shown(info.filename)} is encrypted")
        if info.file_size > MAX_RATIO * (info.compress_size + 1024):
            raise _no_export(f"{shown(info.filename)} would be {info.file_size:,} bytes of {info.compress_size:,}")
        if info.filename == DATABASE_NAME and info.file_size > MAX_DATABASE_BYTES:
            raise _no_export(f"its database has {info.file_size:,} bytes")
    if num_own > MAX_OWN_FILES:
        raise _no_export(f"it has {num_own:,} presets and files of adapters; {MAX_OWN_FILES:,} are accepted")
    total = sum(info.file_size for info in infos)
    if total > MAX_RATIO * (size_bytes + 1024):
        raise _no_export(f"it would be {total:,} bytes of {size_bytes:,}")
    if total > room_bytes:
        raise DiskFull(
            f"The export has {total / 1e9:.2f} GB unpacked; there is room for {room_bytes / 1e9:.2f} GB.",
            param="file",
            hint="Free some room and send it again.",
        )


def _check_database(place: Path) -> None:
    """A database that holds tables, and nothing that runs when they are read."""
    database = sqlite3.connect(f"{place.as_uri()}?mode=ro", uri=True)
    try:
        database.execute("PRAGMA trusted_schema = OFF")
        odd = database.execute("SELECT name FROM sqlite_schema WHERE type IN ('view', 'trigger')").fetchone()
        plain = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE TABLE%'"
        tables = {name for (name,) in database.execute(plain)}
        sound = database.execute("PRAGMA quick_check(1)").fetchone()
    finally:
        database.close()
    if odd is not None or not {"alembic_version", "jobs"} <= tables or sound != ("ok",):
        raise _no_export("its database is not one of Orrery's")


def _check_rows(database: sqlite3.Connection) -> None:
    """Every table that is read, with all of its columns, to the last row: nothing has come in yet.

    Raises:
        BadInput: there are more rows than are accepted.
        sqlite3.Error: a table, a column or a part of one cannot be read.
    """
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
    plain = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE TABLE%'"
    missing = TABLES.keys() - {name for (name,) in database.execute(plain)}
    if missing:
        raise _no_export(f"its database has no table {min(missing)}")
    for table, names in TABLES.items():
        rows = database.execute(f"SELECT {', '.join(names)} FROM {table} ORDER BY rowid")
        if any(number >= MAX_ROWS for number, _ in enumerate(rows)):
            raise _no_export(f"its database has more than {MAX_ROWS:,} {table}")


def _migrate(place: Path) -> None:
    """Bring it to the newest revision: it is a copy of our own."""
    try:
        open_database(place).close()
    except DatabaseTooNew:
        raise BadInput(
            "The export was written by a later Orrery.", param="file", hint="Update this one, then send it again."
        ) from None
    except DiskFull:
        raise
    except StorageError:
        raise _no_export("its database is not one of Orrery's") from None


def _extract(archive: zipfile.ZipFile, info: zipfile.ZipInfo, place: Path) -> None:
    try:
        with archive.open(info) as source, place.open("wb") as target:
            shutil.copyfileobj(source, target, _CHUNK_BYTES)
    except (zipfile.BadZipFile, EOFError) as error:
        raise _no_export(f"{shown(info.filename)} breaks off: {error}") from None


def _no_export(reason: str) -> BadInput:
    return BadInput(f"The file is no export that is accepted: {reason}.", param="file", hint=HINT)
