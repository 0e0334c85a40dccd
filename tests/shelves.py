"""Libraries without a server, on data folders of their own: what tests of exports and imports take out and put in."""

import asyncio
import io
import sqlite3
import zipfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from backend.arena import ArenaService
from backend.broadcast import Broadcast, LibraryNews
from backend.database import Database, open_database
from backend.jobs.ledger import Accepted, Ledger
from backend.library.backups import Backups
from backend.library.finding import find
from backend.library.items import find_artefact
from backend.library.reserve import DiskReserve
from backend.library.service import LibraryService
from backend.library.uploads import Uploads
from backend.media import MediaStore
from backend.refining.store import RefinementStore
from studio.data_folder import DataFolder
from studio.jobs import BatchPlace
from studio.library import ImportReport, LibraryQuery
from studio.media import MediaReference
from studio.requests import GenerateImage

CUBE = GenerateImage.model_validate({"prompt": "a red cube", "sampling": {"seed": 7}})
JOB = "0123456789ab"


class Shelf:
    """A library without a server, and what is written down about its items."""

    def __init__(self, folder: Path, quota_bytes: int | None = None) -> None:
        self.folder = folder
        (folder / "media").mkdir(parents=True, exist_ok=True)
        self.database: Database = open_database(folder / "orrery.db")
        self.store = MediaStore(folder / "media")
        self.ledger = Ledger(self.database, quota_bytes)
        news = LibraryNews(Broadcast())
        self.uploads = Uploads(self.database, self.store, news, quota_bytes)
        self.library = LibraryService(
            database=self.database,
            store=self.store,
            news=news,
            folder=folder / "media",
            quota_bytes=quota_bytes,
            wake=lambda: None,
            reserve=DiskReserve(folder / "reserve"),
        )
        self.arena = ArenaService(self.database, news, self.store)
        self.refinements = RefinementStore(self.database)
        self.backups = Backups(
            database=self.database,
            store=self.store,
            news=news,
            library=self.library,
            folder=DataFolder(folder),
            quota_bytes=quota_bytes,
            heard=self.arena.forget,
        )

    def make(self, job_id: str = JOB, checkpoint: str = "speck", batch: BatchPlace | None = None) -> str:
        """A picture of a job that has succeeded."""
        self.ledger.insert(Accepted(job_id, CUBE, checkpoint), batch=batch)
        while (claimed := self.ledger.claim(checkpoint)) is not None and claimed.id != job_id:
            pass
        result = self.store.put_image(job_id, 0, np.zeros((16, 16, 3), np.uint8), CUBE, checkpoint)
        self.ledger.succeed(job_id, (result,), None)
        return result.id

    def reference(self, media_id: str) -> MediaReference:
        with self.database.transaction() as session:
            return MediaReference.model_validate(find_artefact(session, media_id).reference)

    def bring_in(self, content: bytes) -> ImportReport:
        return asyncio.run(self.backups.bring_in(sent(content)))

    def ids(self, **query: Any) -> list[str]:
        with self.database.transaction() as session:
            return [row.id for row in find(session, LibraryQuery.model_validate(query))[0]]

    def files(self) -> list[str]:
        return sorted(path.name for path in (self.folder / "media").rglob("*") if path.is_file())


@contextmanager
def shelf_at(folder: Path, quota_bytes: int | None = None) -> Iterator[Shelf]:
    shelf = Shelf(folder, quota_bytes)
    try:
        yield shelf
    finally:
        shelf.database.close()


async def sent(content: bytes) -> AsyncIterator[bytes]:
    for begin in range(0, len(content), 1000):
        yield content[begin : begin + 1000]


def export_of(shelf: Shelf) -> bytes:
    return b"".join(asyncio.run(shelf.backups.export()))


def rewritten(content: bytes, change: Callable[[str, bytes], bytes], **added: bytes) -> bytes:
    """The same zip with other contents."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as came, zipfile.ZipFile(buffer, "w") as went:
        for info in came.infolist():
            went.writestr(info.filename, change(info.filename, came.read(info)))
        for name, data in added.items():
            went.writestr(name, data)
    return buffer.getvalue()


def with_sql(statement: str) -> Callable[[bytes], bytes]:
    """The same export with its database changed."""

    def change(name: str, data: bytes) -> bytes:
        if name != "orrery.db":
            return data
        database = sqlite3.connect(":memory:")
        database.deserialize(data)
        database.executescript(statement)
        database.commit()
        changed = database.serialize()
        database.close()
        return changed

    return lambda content: rewritten(content, change)
