"""Everything that the edge asks of comparisons, put together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Self

from backend.checkpoints.catalogue import CheckpointCatalogue
from backend.comparisons.exporting import Exporting, PageOf
from backend.comparisons.measuring import Measuring
from backend.comparisons.service import ComparisonService
from backend.database import Database
from backend.fleet import Fleet
from backend.jobs.admission import Admission
from backend.jobs.board import Board
from backend.jobs.queue_service import QueueService
from backend.jobs.service import JobService
from backend.library.service import LibraryService
from backend.library.sheets import SheetService
from backend.library.uploads import Uploads
from backend.media import MediaStore
from studio.errors import StudioError


@dataclass(frozen=True)
class ComparisonDesk:
    """Making comparisons, measuring in them, taking them elsewhere."""

    service: ComparisonService
    measuring: Measuring
    exports: Exporting

    @classmethod
    def open(
        cls,
        database: Database,
        board: Board,
        queue: QueueService,
        jobs: JobService,
        admission: Admission,
        fleet: Fleet,
        shelf: CheckpointCatalogue,
        media: MediaStore,
        library: LibraryService,
        uploads: Uploads,
        sheets: SheetService,
        folder: Path,
        page_of: PageOf,
    ) -> Self:
        """Build it.

        Args:
            folder: of the media, where exports are written.
            page_of: draws the offline page.
        """
        read_once = cache(fleet.room.read)

        @cache
        def memory_gb(checkpoint: str) -> float | None:
            try:
                return round(fleet.room.held_gb(shelf.named(checkpoint), read_once()), 2)
            except StudioError:  # it is not known any more
                return None

        service = ComparisonService(
            database, board, queue, jobs, admission, fleet, shelf, media, library, uploads, memory_gb
        )
        return cls(service, Measuring(service, media), Exporting(service, media, sheets, folder, page_of))

    def close(self) -> None:
        """Begin nothing more."""
        self.measuring.close()
