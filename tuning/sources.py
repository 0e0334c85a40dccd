"""The files of data sets: their hashes, and whether they are still what they were."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from studio.errors import BadInput

Stamp = tuple[int, int]
"""Size and time of a file."""


@dataclass
class Sources:
    """The files of a data set, and whether they are still what they were.

    Attributes:
        stamps: of every file that was read.
        hashes: SHA-256 of its bytes.
    """

    stamps: dict[Path, Stamp] = field(default_factory=dict[Path, Stamp])
    hashes: dict[Path, str] = field(default_factory=dict[Path, str])

    def hash(self, path: Path) -> str:
        """SHA-256 of a file; read once."""
        if path not in self.hashes:
            self.stamps[path] = _stamp(path)
            with path.open("rb") as file:
                self.hashes[path] = hashlib.file_digest(file, "sha256").hexdigest()
        return self.hashes[path]

    def check(self) -> None:
        """Raises BadInput where one of them is not what it was."""
        for path, stamp in self.stamps.items():
            if not path.is_file() or _stamp(path) != stamp:
                raise BadInput(
                    f"{path} has changed while it was trained on.",
                    param="data",
                    hint="Begin another training for the changed data; the saves so far stay.",
                )


def _stamp(path: Path) -> Stamp:
    stat = path.stat()
    return stat.st_size, stat.st_mtime_ns
