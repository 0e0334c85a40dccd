"""The library on its way out and in: archives of some items, exports of everything, imports, and the end of it all."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path

from backend.database import Database
from backend.library.archive import archive_of, export_of
from backend.library.clean_slate import forget_everything
from backend.library.export_file import open_export
from backend.library.importing import Importer
from backend.library.news import LibraryNews
from backend.library.own_importing import OwnImporter
from backend.library.records import RecordSort, bring_records
from backend.library.room import held_bytes
from backend.library.service import LibraryService
from backend.library.zip_stream import zip_stream
from backend.media import MediaStore
from backend.media.scratch import scratch
from studio.data_folder import DataFolder
from studio.errors import QuotaExceeded
from studio.import_report import ImportReport
from studio.library import ErasedItems

SPARE_BYTES = 256 * 2**20
"""Of the disk, which an import leaves free."""


class Portage:
    """Whole libraries.

    Args:
        folder: the data folder; what is unpacked lies below its media, and is swept at start.
        quota_bytes: what the library may hold, or none.
        sorts: of records that an import brings beside jobs and items, each after those that it refers to.
        heard: called when an import has ended: whoever has read records reads them again.
    """

    def __init__(
        self,
        database: Database,
        store: MediaStore,
        news: LibraryNews,
        library: LibraryService,
        folder: DataFolder,
        quota_bytes: int | None,
        sorts: Sequence[RecordSort],
        heard: Callable[[], None],
    ) -> None:
        self._database = database
        self._store = store
        self._news = news
        self._library = library
        self._data = folder
        self._folder = folder.media
        self._quota_bytes = quota_bytes
        self._sorts = sorts
        self._heard = heard
        self._importing = asyncio.Lock()

    async def archive(self, ids: Sequence[str]) -> Iterator[bytes]:
        """A zip of items and their recipes. Raises MediaNotFound when none of them is there."""

        def look() -> Iterator[bytes]:
            with self._database.transaction() as session:
                return zip_stream(archive_of(session, self._store, ids))

        return await self._database.beside(look)

    async def export(self) -> Iterator[bytes]:
        """A zip of database, media, presets and adapters. Raises DiskFull when the database cannot be copied."""
        incoming = self._folder / "incoming"
        return await asyncio.to_thread(export_of, self._database, self._store, self._data, incoming)

    async def bring_in(self, chunks: AsyncIterator[bytes]) -> ImportReport:
        """Take in what an export holds and this library does not; one import at a time.

        Raises:
            BadInput: it is no export, or one that is not accepted.
            QuotaExceeded, DiskFull, StorageError: it does not go in.
        """
        async with self._importing:
            incoming = self._folder / "incoming"
            with scratch(incoming) as (part,):
                room = await self._database.beside(self._room_bytes)
                with part.open("wb") as file:
                    received = 0
                    async for chunk in chunks:
                        received += len(chunk)
                        if received > room:
                            raise QuotaExceeded(
                                f"The export is larger than the {room / 1e9:.2f} GB that there is room for.",
                                param="file",
                                hint="Free some room and send it again.",
                            )
                        await asyncio.to_thread(file.write, chunk)
                try:
                    return await asyncio.to_thread(self._bring_in, part, incoming, room - received)
                finally:  # something may have come in before it broke off
                    self._heard()
                    self._news.changed(of_jobs=True)

    async def erase_everything(self) -> ErasedItems:
        """Remove every artefact and every job for good, and what was ever said of them.

        Raises:
            Conflict: a job has not ended.
        """
        await self._library.condemn_all()
        erased = await self._library.finish_erasing()
        num_jobs = await self._database.alone(lambda: forget_everything(self._database, self._folder))
        self._news.changed(of_jobs=True)
        return erased.model_copy(update={"num_jobs": num_jobs})

    def _bring_in(self, zipped: Path, incoming: Path, room_bytes: int) -> ImportReport:
        importer = Importer(self._database, self._store, incoming, self._quota_bytes)
        with open_export(zipped, incoming, room_bytes) as export:
            report = importer.bring_in(export)
            own = OwnImporter(self._data, incoming).bring_in(export)
            records = {sort.name: bring_records(self._database, export, sort) for sort in self._sorts}
        return report.model_copy(
            update={
                "num_own_files": own.added,
                "num_known_own_files": own.known,
                "num_refused_own_files": own.refused,
                "records": records,
            }
        )

    def _room_bytes(self) -> int:
        """What may come in, by the disk and by the quota; the zip itself lies there too while it is unpacked."""
        free = max(0, shutil.disk_usage(self._folder).free - SPARE_BYTES)
        if self._quota_bytes is None:
            return free
        with self._database.transaction() as session:
            return min(free, 2 * max(0, self._quota_bytes - held_bytes(session)) + SPARE_BYTES)
