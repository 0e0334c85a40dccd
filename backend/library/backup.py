"""A backup: a zip of the database, of all media and of what a person keeps beside them. Unpacked, it is a data folder.

Presets of forms, a person's own presets with tasks, templates and recipes, and adapters travel, the saves of tunings
among them. `reasoners.toml` does not, since it may hold keys; neither do checkpoints, which are pulled, built or tuned
again, data sets, the states of tunings, nor what says who holds the folder.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import zipfile
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from sqlalchemy import Engine, select

from backend.database import Database, is_full, open_database
from backend.database.tables import ArtefactRow
from backend.library.archive import Entry, zip_stream
from backend.media import MediaStore
from backend.media.file_names import is_media_file
from backend.media.scratch import scratch, typed_disk_errors
from studio.data_folder import DataFolder
from studio.errors import BadInput, DatabaseTooNew, DiskFull, StorageError
from studio.requests import shown

DATABASE_NAME = "orrery.db"
MEDIA_PATTERN = "media/??/*"
OWN_PATTERNS = (
    *(
        "form-presets/*.json",
        "presets/*.toml",
        "presets/tasks/*.toml",
        "presets/templates/*.toml",
        "presets/tuning/*.toml",
    ),
    *("adapters/*.safetensors", "adapters/*/*.json", "adapters/*/*.safetensors"),
)
"""What a person keeps in the data folder beside the library."""

MAX_ENTRIES = 1_000_000
MAX_RATIO = 100
"""Times that an entry may be larger than its part of the zip: pictures and clips hardly shrink, databases by ten."""

_CHUNK_BYTES = 2**20
_ENCRYPTED = 0x1


def backup_of(database: Database, store: MediaStore, folder: DataFolder, incoming: Path) -> Iterator[bytes]:
    """A zip of everything as it is at this moment.

    Args:
        incoming: where the copy of the database lies while it is sent; it has no name there.

    Raises:
        DiskFull, StorageError: the database cannot be copied.
    """
    copy = _copy_of(database.engine, incoming)

    def entries() -> Iterator[Entry]:
        yield Entry(DATABASE_NAME, copy)
        for media_id in _ids(database):
            for path in store.every_file(media_id):
                yield Entry(f"media/{media_id[:2]}/{path.name}", path)
        for pattern in OWN_PATTERNS:
            for path in sorted(folder.root.glob(pattern)):
                name = path.relative_to(folder.root).as_posix()
                if path.is_file() and is_own_file(name):
                    yield Entry(name, path)

    return zip_stream(entries())


def is_own_file(name: str) -> bool:
    """Whether an entry is something that a person keeps beside the library."""
    return any(_matches(name, pattern) for pattern in OWN_PATTERNS)


class Backup:
    """A backup whose names and sizes have been checked.

    Attributes:
        database: a copy of its database, of this version's revision.
        media: the names of an item's file and its thumbnail by its id; an item without a file is not among them.
    """

    def __init__(self, archive: zipfile.ZipFile, database: Path) -> None:
        self._archive = archive
        self.database = database
        self.own_files = sorted(name for name in archive.namelist() if is_own_file(name))
        found: dict[str, list[str]] = {}
        for name in archive.namelist():
            if _matches(name, MEDIA_PATTERN):
                found.setdefault(PurePosixPath(name).name.partition(".")[0], []).append(name)
        self.media = {
            media_id: names
            for media_id, names in found.items()
            if any(not name.endswith(f"{media_id}.webp") for name in names)
        }

    def unpack(self, names: Sequence[str], place: Path) -> None:
        """Write entries below a folder. Raises BadInput when one breaks off, DiskFull and StorageError."""
        with typed_disk_errors(place):
            for name in names:
                _unpack(self._archive, name, place)


@contextmanager
def open_backup(path: Path, place: Path, free_bytes: int) -> Generator[Backup]:
    """A backup.

    Args:
        path: the zip.
        place: an empty folder, where its database is unpacked.
        free_bytes: what all of it may take.

    Raises:
        BadInput: it is no backup, or cannot be read.
        DatabaseTooNew: a later Orrery wrote it.
        DiskFull: it does not fit.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            _check(archive.infolist(), path.stat().st_size, free_bytes)
            with typed_disk_errors(place):
                _unpack(archive, DATABASE_NAME, place)
            _bring_up_to_date(place / DATABASE_NAME)
            yield Backup(archive, place / DATABASE_NAME)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, RuntimeError, EOFError) as error:  # of a way to pack it
        raise no_backup(f"it cannot be unpacked: {error}") from None


def no_backup(reason: str) -> BadInput:
    """What is said of a file that cannot be brought in."""
    return BadInput(
        f"The file is not a readable backup: {reason}.",
        param="file",
        hint="Send a zip from GET /v1/library/export.",
    )


def _matches(name: str, pattern: str) -> bool:
    path = PurePosixPath(name)
    is_plain = not any(part.startswith(".") for part in path.parts)
    return is_plain and len(path.parts) == pattern.count("/") + 1 and path.match(pattern)


def _check(infos: Sequence[zipfile.ZipInfo], size_bytes: int, free_bytes: int) -> None:
    """Names and sizes of all entries, before one of them is unpacked."""
    names = {info.filename for info in infos}
    if DATABASE_NAME not in names:
        raise no_backup(f"{DATABASE_NAME} is not in it")
    if len(infos) > MAX_ENTRIES or len(names) != len(infos):
        raise no_backup("it has too many entries, or one of them twice")
    for info in infos:
        name = info.filename
        is_media = _matches(name, MEDIA_PATTERN) and is_media_file(PurePosixPath(name).name)
        if not (name == DATABASE_NAME or is_media or is_own_file(name)):
            raise no_backup(f"it holds {shown(name)}")
        if info.flag_bits & _ENCRYPTED:
            raise no_backup(f"{shown(name)} is encrypted")
        if info.file_size > MAX_RATIO * (info.compress_size + 1024):
            raise no_backup(f"{shown(name)} would be {info.file_size:,} bytes of {info.compress_size:,}")
    total = sum(info.file_size for info in infos)
    if total > MAX_RATIO * (size_bytes + 1024):  # parts of the zip may lie upon each other
        raise no_backup(f"it would be {total:,} bytes of {size_bytes:,}")
    if total > free_bytes:
        raise DiskFull(
            f"The backup needs {total / 1e9:.2f} GB unpacked; {free_bytes / 1e9:.2f} GB are free.",
            param="file",
            hint="Free some space and send it again.",
        )


def _bring_up_to_date(database: Path) -> None:
    connection = sqlite3.connect(database)
    try:
        connection.execute("SELECT version_num FROM alembic_version")
        if connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
            raise no_backup("its database is damaged")
    except sqlite3.Error as error:
        raise no_backup(f"its database cannot be read: {error}") from None
    finally:
        connection.close()
    try:
        open_database(database).close()
    except DatabaseTooNew:
        raise BadInput(
            "The backup was written by a newer Orrery.", param="file", hint="Update this server, then send it again."
        ) from None
    except DiskFull:
        raise
    except StorageError:
        raise no_backup("its database is not an Orrery database") from None


def _unpack(archive: zipfile.ZipFile, name: str, place: Path) -> None:
    target = place / name
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with archive.open(name) as source, target.open("wb") as file:
            shutil.copyfileobj(source, file, _CHUNK_BYTES)
    except (zipfile.BadZipFile, EOFError) as error:
        raise no_backup(f"{shown(name)} breaks off: {error}") from None


def _copy_of(engine: Engine, folder: Path) -> BinaryIO:
    """A whole copy of the database, by SQLite's own backup, while others write."""
    with scratch(folder) as (part,):
        folder.mkdir(parents=True, exist_ok=True)
        with engine.connect() as connection:
            source = connection.connection.dbapi_connection
            assert isinstance(source, sqlite3.Connection)
            target = sqlite3.connect(part)
            try:
                source.backup(target)
                target.execute("PRAGMA journal_mode = DELETE")
            except sqlite3.Error as error:
                kind = DiskFull if is_full(error) else StorageError
                raise kind(
                    f"The database cannot be copied for the export: {error}.",
                    hint="Free some space, then export again.",
                ) from None
            finally:
                target.close()
        return os.fdopen(os.open(part, os.O_RDONLY), "rb")


def _ids(database: Database) -> list[str]:
    with database.transaction() as session:
        return list(session.scalars(select(ArtefactRow.id).where(~ArtefactRow.erasing).order_by(ArtefactRow.number)))
