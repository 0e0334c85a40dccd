"""Files that are whole or absent: written beside their place, synced, renamed; after a crash nothing is half there."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from studio.errors import DiskFull, StorageError

SUFFIX = ".part"


@contextmanager
def scratch(folder: Path, count: int = 1) -> Generator[list[Path]]:
    """Names of files that do not exist yet. Whatever stands there at the end and was not kept is removed.

    Raises:
        DiskFull: there is no room.
        StorageError: the folder cannot be written otherwise.
    """
    parts = [folder / f"{secrets.token_hex(8)}{SUFFIX}" for _ in range(count)]
    try:
        with typed_disk_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            yield parts
    finally:
        for part in parts:
            part.unlink(missing_ok=True)


@contextmanager
def typed_disk_errors(folder: Path) -> Generator[None]:
    """What the disk does not take, in our words.

    Raises:
        DiskFull: there is no room.
        StorageError: the folder cannot be written otherwise.
    """
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull(
                f"The disk is full: a file did not fit into {folder.parent}.",
                hint="Free some room, then retry.",
            ) from None
        raise StorageError(
            f"A file could not be written into {folder.parent}: {error.strerror}.",
            hint="Look at the data folder's permissions.",
        ) from None


def keep(*moves: tuple[Path, Path]) -> None:
    """Give scratch files their names, in order, once all of them are on disk.

    Raises:
        OSError: one could not be; inside `scratch` it becomes what it means.
    """
    for part, _ in moves:
        _sync(part)
    for part, place in moves:
        place.parent.mkdir(exist_ok=True)
        part.replace(place)
        _sync(place.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
