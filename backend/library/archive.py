"""Zips that are sent while they are made, however large they become, and one of chosen items with their recipes."""

from __future__ import annotations

import io
import json
import time
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from sqlalchemy.orm import Session

from backend.library.changes import rows_of
from backend.library.items import request_of
from backend.media import MediaStore
from studio.errors import MediaNotFound

_CHUNK_BYTES = 2**20


@dataclass(frozen=True)
class Entry:
    """One file of a zip: its name there, and what is in it; a path that is gone by then is left out."""

    name: str
    content: Path | bytes | BinaryIO


class _Outlet(io.RawIOBase):
    """Takes what the zip writes, until somebody fetches it. It cannot be sought; the zip knows how to do without."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:  # bytes-like, as RawIOBase has it
        piece = bytes(memoryview(data))  # pyright: ignore[reportArgumentType]
        self._pieces.append(piece)
        return len(piece)

    def fetch(self) -> bytes:
        """What was written since the last time."""
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)


def zip_stream(entries: Iterable[Entry]) -> Iterator[bytes]:
    """The bytes of a zip of entries, each as it is: pictures and clips are compressed already."""
    outlet = _Outlet()
    with zipfile.ZipFile(outlet, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for entry in entries:
            yield from _written(archive, outlet, entry)
    yield outlet.fetch()


def _written(archive: zipfile.ZipFile, outlet: _Outlet, entry: Entry) -> Iterator[bytes]:
    info = zipfile.ZipInfo(entry.name, time.gmtime()[:6])
    info.external_attr = 0o600 << 16
    match entry.content:
        case Path() as path:
            try:
                file = path.open("rb")
            except OSError:
                return
        case bytes() as content:
            file = io.BytesIO(content)
        case file:
            pass
    # The length is not known before the end: a file of 4 GiB needs the larger form from its beginning.
    with file, archive.open(info, "w", force_zip64=True) as place:
        while chunk := file.read(_CHUNK_BYTES):
            place.write(chunk)
            yield outlet.fetch()
    yield outlet.fetch()


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
        raise MediaNotFound("None of these is in the library.", param="ids", hint="GET /v1/library lists all items.")
    return entries
