"""The files of a host that does not share the server's data folder: sent in pieces, made there, read in pieces."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from backend.media import MediaStore
from backend.media.facts import sha256_of
from backend.media.scratch import SUFFIX, keep, typed_disk_errors
from studio.errors import StorageError

PIECE_BYTES = 8 * 2**20
"""Of a file, in one call: what is on its way of a file takes no more memory than that, at either end."""

MAX_KEPT_BYTES = 50 * 10**9
"""Of sent files that stay for the next job that names them; those that were used least recently go."""


@dataclass(frozen=True)
class FileFacts:
    """A file that a worker has made: its name below the folder, and what it must be like when it has arrived."""

    name: str
    size_bytes: int
    sha256: str


class HostFiles:
    """Files below one folder, by their names in it.

    A name is a relative path, as in ``media/ab/abcdef012345-0.png``.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._store = MediaStore(root / "media")
        self._sent: dict[str, str] = {}

    def missing(self, files: Mapping[str, str]) -> list[str]:
        """Those that are not here yet.

        Args:
            files: the sha256 of each, by name.
        """
        for name, sha256 in files.items():
            if self._sent.get(name) == sha256:
                self._sent[name] = self._sent.pop(name)  # used last
        self._make_room(set(files))
        return [name for name, sha256 in files.items() if self._sent.get(name) != sha256]

    def write(self, name: str, offset: int, piece: bytes) -> None:
        """Take a piece. Raises DiskFull, StorageError."""
        part = self._part(name)
        with typed_disk_errors(part.parent, [part]):
            part.parent.mkdir(parents=True, exist_ok=True)
            with part.open("r+b" if offset else "wb") as file:
                file.seek(offset)
                file.write(piece)

    def seal(self, name: str, sha256: str) -> None:
        """All pieces are here: from now on it is a file.

        Raises:
            StorageError: it is not what was sent.
        """
        if self._sent.get(name) == sha256:  # called again: the answer was lost
            return
        part = self._part(name)
        if sha256_of(part) != sha256:
            part.unlink()
            raise StorageError(f"{name} did not arrive as it was sent.", hint="Try again, and check the network.")
        with typed_disk_errors(part.parent, [part]):
            keep((part, self._root / name))
        self._sent[name] = sha256

    def made(self, ids: Sequence[str]) -> list[FileFacts]:
        """The files of artefacts that a worker has made here, thumbnails too."""
        paths = [path for name in ids for path in self._store.every_file(name)]
        return [FileFacts(str(path.relative_to(self._root)), path.stat().st_size, sha256_of(path)) for path in paths]

    def read(self, name: str, offset: int) -> bytes:
        """The next piece of a file, at most `PIECE_BYTES`."""
        with (self._root / name).open("rb") as file:
            file.seek(offset)
            return file.read(PIECE_BYTES)

    def erase(self, job_id: str) -> None:
        """A job's results are the server's now."""
        self._store.remove_results(job_id)

    def _part(self, name: str) -> Path:
        place = self._root / name
        return place.with_name(f"{hashlib.sha256(name.encode()).hexdigest()[:16]}{SUFFIX}")

    def _make_room(self, wanted: set[str]) -> None:
        sizes = {name: (self._root / name).stat().st_size for name in self._sent}
        for name in list(self._sent):
            if sum(sizes.values()) <= MAX_KEPT_BYTES:
                return
            if name not in wanted:
                (self._root / name).unlink()
                del self._sent[name], sizes[name]
