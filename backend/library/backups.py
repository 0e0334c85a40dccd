"""The whole library: archives of some items, backups of everything, bringing one in, and the end of it all."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from backend.broadcast import LibraryNews
from backend.database import Database
from backend.library.archive import archive_of, zip_stream
from backend.library.backup import backup_of, open_backup
from backend.library.erasing import forget_everything
from backend.library.restore import restore
from backend.library.service import LibraryService
from backend.media import MediaStore
from backend.media.scratch import scratch, typed_disk_errors
from studio.data_folder import DataFolder
from studio.errors import DiskFull
from studio.library import ErasedItems, ImportReport

SPARE_BYTES = 256 * 2**20
"""Of the disk, which an import leaves free."""


class Backups:
    """Whole libraries.

    Args:
        folder: the data folder; what is unpacked lies below its media, and is swept at start.
        quota_bytes: what the library may hold, or none.
        heard: called when an import has ended: whoever has read records reads them again.
    """

    def __init__(
        self,
        *,
        database: Database,
        store: MediaStore,
        news: LibraryNews,
        library: LibraryService,
        folder: DataFolder,
        quota_bytes: int | None,
        heard: Callable[[], None],
    ) -> None:
        self._database = database
        self._store = store
        self._news = news
        self._library = library
        self._folder = folder
        self._incoming = folder.media / "incoming"
        self._quota_bytes = quota_bytes
        self._heard = heard
        self._importing = asyncio.Lock()

    async def archive(self, ids: Sequence[str]) -> Iterator[bytes]:
        """A zip of items and their recipes. Raises MediaNotFound when none of them is there."""
        return await self._database.look(lambda session: zip_stream(archive_of(session, self._store, ids)))

    async def export(self) -> Iterator[bytes]:
        """A zip of database, media, presets and adapters. Raises DiskFull when the database cannot be copied."""
        return await asyncio.to_thread(backup_of, self._database, self._store, self._folder, self._incoming)

    async def bring_in(self, chunks: AsyncIterator[bytes]) -> ImportReport:
        """Take in what a backup holds and this library does not; one import at a time.

        Raises:
            BadInput: it is no backup, or cannot be read.
            QuotaExceeded, DiskFull, StorageError: it does not go in; then nothing of it does.
        """
        async with self._importing:
            with scratch(self._incoming) as (part,):
                free_bytes = shutil.disk_usage(self._folder.media).free - SPARE_BYTES
                with part.open("wb") as file:
                    async for chunk in chunks:
                        free_bytes -= len(chunk)
                        if free_bytes < 0:
                            raise DiskFull(
                                "The backup is larger than the free disk space.",
                                param="file",
                                hint="Free some space and send it again.",
                            )
                        await asyncio.to_thread(file.write, chunk)
                report = await asyncio.to_thread(self._bring_in, part, free_bytes)
            self._heard()
            self._news.changed(of_jobs=True)
            return report

    async def erase_everything(self) -> ErasedItems:
        """Remove every artefact and every job for good, and what was ever said of them.

        Raises:
            Conflict: a job has not ended.
        """
        await self._library.condemn_all()
        erased = await self._library.finish_erasing()
        num_jobs = await self._database.alone(lambda: forget_everything(self._database, self._folder.media))
        self._news.changed(of_jobs=True)
        return erased.model_copy(update={"num_jobs": num_jobs})

    def _bring_in(self, zipped: Path, free_bytes: int) -> ImportReport:
        with (
            typed_disk_errors(self._incoming),
            TemporaryDirectory(prefix="import-", suffix=".part", dir=self._incoming) as unpacked,
            open_backup(zipped, Path(unpacked), free_bytes) as backup,
        ):
            return restore(backup, Path(unpacked), self._database, self._folder, self._quota_bytes)
