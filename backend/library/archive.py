"""Zips of the library: chosen items with their recipes, or everything with the database."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from backend.database import Database, is_full
from backend.database.tables import ArtefactRow
from backend.library.changes import rows_of
from backend.library.lineage import request_of
from backend.library.own_files import own_files
from backend.library.zip_stream import Entry, zip_stream
from backend.media import MediaStore
from backend.media.scratch import scratch
from studio.data_folder import DataFolder
from studio.errors import DiskFull, MediaNotFound, StorageError

DATABASE_NAME = "orrery.db"
MEDIA_FOLDER = "media"


def archive_of(session: Session, store: MediaStore, ids: Sequence[str]) -> list[Entry]:
    """Files by their ids, and beside each result `{id}.recipe.json`, the request that makes it again.

    Raises:
        MediaNotFound: none of them is there.
    """
    entries: list[Entry] = []
    for row in rows_of(session, ids):
        try:
            path = store.file(row.id)
        except MediaNotFound:
            continue
        entries.append(Entry(path.name, path))
        request = request_of(session, row)
        if request is not None:
            text = json.dumps(request.model_dump(mode="json"), indent=2, ensure_ascii=False)
            entries.append(Entry(f"{row.id}.recipe.json", text.encode()))
    if not entries:
        raise MediaNotFound("None of these is in the library.", param="ids", hint="GET /v1/library lists what is.")
    return entries


def export_of(database: Database, store: MediaStore, folder: DataFolder, incoming: Path) -> Iterator[bytes]:
    """A zip of the database as it is at this moment, of all media in it, and of what a person keeps beside them.

    Unpacked, it is a data folder.

    Args:
        folder: the data folder.
        incoming: where the copy of the database lies while it is sent; it has no name there.

    Raises:
        DiskFull, StorageError: the database cannot be copied.
    """
    copy = _copy_of(database.engine, incoming)

    def entries() -> Iterator[Entry]:
        yield Entry(DATABASE_NAME, copy)
        for media_id in _ids(database):
            for path in store.every_file(media_id):
                yield Entry(f"{MEDIA_FOLDER}/{media_id[:2]}/{path.name}", path)
        yield from own_files(folder)

    return zip_stream(entries())


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
                    f"An export needs a copy of the database, which cannot be made: {error}.",
                    hint="Free some room, then export again.",
                ) from None
            finally:
                target.close()
        return os.fdopen(os.open(part, os.O_RDONLY), "rb")


def _ids(database: Database) -> list[str]:
    with database.transaction() as session:
        return list(session.scalars(select(ArtefactRow.id).where(~ArtefactRow.erasing).order_by(ArtefactRow.number)))
