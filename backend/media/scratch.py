"""Files that are whole or absent: written beside their place, synced, renamed; after a crash nothing is half there."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from studio.errors import DiskFull, StorageError

SUFFIX = ".part"

FULL = (errno.ENOSPC, errno.EDQUOT)
"""What a disk, or somebody's share of it, says when there is no room."""


@contextmanager
def scratch(folder: Path, count: int = 1) -> Generator[list[Path]]:
    """Names of files that do not exist yet. Whatever stands there at the end and was not kept is removed.

    Raises:
        DiskFull: there is no room.
        StorageError: the folder cannot be written otherwise.
    """
    parts = [folder / f"{secrets.token_hex(8)}{SUFFIX}" for _ in range(count)]
    try:
        with typed_disk_errors(folder, parts):
            folder.mkdir(parents=True, exist_ok=True)
            yield parts
    finally:
        for part in parts:
            part.unlink(missing_ok=True)


@contextmanager
def typed_disk_errors(folder: Path, parts: Sequence[Path] = (), *, num_bytes: int = 0) -> Generator[None]:
    """What the disk does not take, in our words.

    Args:
        folder: where something is written.
        parts: files that grow until it is full, and that go when they do not fit.
        num_bytes: what is needed, where that is known before.

    Raises:
        DiskFull: there is no room.
        StorageError: the folder cannot be written otherwise.
    """
    try:
        yield
    except OSError as error:
        if error.errno in FULL:
            raise _disk_full(folder, parts, num_bytes) from None
        raise StorageError(
            f"A file could not be written into {folder.parent}: {error.strerror}.",
            hint="Check the data folder's permissions.",
        ) from None


def _disk_full(folder: Path, parts: Sequence[Path], num_bytes: int) -> DiskFull:
    written_bytes = sum(part.stat().st_size for part in parts if part.is_file())
    place = next(above for above in (folder, *folder.parents) if above.is_dir())
    free_bytes = shutil.disk_usage(place).free + written_bytes
    needed = _size(num_bytes) if num_bytes else f"more than {_size(written_bytes)}"
    return DiskFull(
        f"The disk is full: {needed} did not fit into {folder.parent}, where {_size(free_bytes)} are free.",
        hint="Empty the trash or free some disk space, then retry.",
    )


def _size(num_bytes: int) -> str:
    return f"{num_bytes / 1e6:,.1f} MB" if num_bytes >= 1e6 else f"{num_bytes / 1e3:.0f} kB"


def keep(*moves: tuple[Path, Path]) -> None:
    """Give scratch files their names, in order, once all of them are on disk.

    Raises:
        OSError: one could not be; inside `scratch` it becomes what it means.
    """
    for part, _ in moves:
        sync(part)
    for part, place in moves:
        place.parent.mkdir(exist_ok=True)
        part.replace(place)
        sync(place.parent)


def sync(path: Path) -> None:
    """Put a file, or a folder's entries, on the disk: what was renamed is found after a loss of power too."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
