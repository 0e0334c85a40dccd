"""A zip that is sent while it is made: nothing of it is kept, however large it becomes."""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

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
