"""Keeping what people send: first the file, then its row, then the answer. Nothing that was answered is lost."""

from __future__ import annotations

from contextlib import suppress
from pathlib import PurePosixPath, PureWindowsPath
from typing import BinaryIO

from sqlalchemy import select
from sqlalchemy.orm import Session

from backend.broadcast import LibraryNews
from backend.database import Database
from backend.database.tables import ArtefactRow
from backend.library.items import carried_request
from backend.library.recording import Origin, add_artefact, check_room
from backend.media import DECODERS, MediaStore
from studio.errors import Conflict, StorageError
from studio.library import MAX_TITLE_CHARACTERS
from studio.media import MediaReference
from studio.requests import Request


class Uploads:
    """Everything that comes to the library from outside of a job.

    Args:
        quota_bytes: what the library may hold, or none.
    """

    def __init__(self, database: Database, store: MediaStore, news: LibraryNews, quota_bytes: int | None) -> None:
        self._database = database
        self._store = store
        self._news = news
        self._quota_bytes = quota_bytes

    async def keep(self, stream: BinaryIO, file_name: str = "", *, evaluation: bool = False) -> MediaReference:
        """Keep a picture or a clip as it came; the same content again is the same artefact.

        Args:
            stream: read to its end.
            file_name: what it is called where it comes from; it becomes the title.
            evaluation: it is sent for a benchmark.

        Raises:
            BadInput: it is neither, or one that is not accepted.
            QuotaExceeded, DiskFull, StorageError: it does not go in.
            Conflict: the same content was removed for good at the same moment.
        """
        reference = await DECODERS.beside(lambda: self._store.put_upload(stream))
        made_by = await DECODERS.beside(lambda: carried_request(self._store, reference.id))
        return await self.record(reference, title=title_of(file_name), made_by=made_by, evaluation=evaluation)

    async def record(
        self,
        reference: MediaReference,
        *,
        title: str = "",
        source_id: str | None = None,
        made_by: Request | None = None,
        evaluation: bool = False,
    ) -> MediaReference:
        """Write down what lies in the store already; a file that cannot be written down is removed. Raises as `keep`.

        Args:
            source_id: the clip that it was computed from.
            made_by: what made it elsewhere: it is found by its words.
            evaluation: it is kept for a benchmark; what was ever kept otherwise stays in the library's view.
        """
        said = made_by.model_dump(mode="json") if made_by is not None else {}
        origin = Origin(title=title, source_id=source_id, request=said, evaluation=evaluation)
        await self._database.alone(lambda: self._record(reference, origin))
        self._news.changed()
        return reference

    def _record(self, reference: MediaReference, origin: Origin) -> None:
        known = True
        try:
            with self._database.transaction() as session:
                row = _row(session, reference.id)
                known = row is not None
                if not self._store.holds(reference.id, reference.mime):
                    raise Conflict(
                        f"{reference.id} was deleted permanently during the upload.",
                        param="file",
                        hint="Send it again.",
                    )
                if row is not None:
                    row.trashed_at, row.erasing = None, False
                    row.evaluation = row.evaluation and origin.evaluation
                    return
                check_room(session, self._quota_bytes, reference.size_bytes)
                add_artefact(session, reference, origin)
        except StorageError:
            if not known:
                with suppress(OSError):
                    self._store.erase(reference.id)
            raise


def title_of(file_name: str) -> str:
    """A file's name without its folders, on one line."""
    name = PurePosixPath(PureWindowsPath(file_name).name).name
    tidy = " ".join("".join(letter if letter.isprintable() else " " for letter in name).split())
    return tidy.encode(errors="replace").decode()[:MAX_TITLE_CHARACTERS]


def _row(session: Session, media_id: str) -> ArtefactRow | None:
    return session.scalars(select(ArtefactRow).where(ArtefactRow.id == media_id)).first()
