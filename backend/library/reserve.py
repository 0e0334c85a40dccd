"""Room that is kept back: what a full disk needs to write down that something goes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import structlog

from studio.errors import DiskFull

T = TypeVar("T")

log = structlog.get_logger("orrery.library")

SIZE_BYTES = 8 * 2**20
"""Twice what SQLite's log grows to before it begins anew: 1000 pages of 4096 bytes."""

_PIECE_BYTES = 2**18


class DiskReserve:
    """A file that is there for its size. Its methods run alone on the database's thread.

    Whoever else writes to the disk meanwhile may take what is let go; then there is a smaller reserve, or none, until
    something is erased.

    Args:
        path: on the disk of the database.
    """

    def __init__(self, path: Path, size_bytes: int = SIZE_BYTES) -> None:
        self._path = path
        self._size_bytes = size_bytes

    def fill(self) -> None:
        """Take what is missing, or as much of it as there is."""
        try:
            with self._path.open("ab", buffering=0) as file:
                if file.tell() >= self._size_bytes:
                    return
                while (missing := self._size_bytes - file.tell()) > 0:
                    file.write(os.urandom(min(missing, _PIECE_BYTES)))  # noise: zeros are nothing to some file systems
                os.fsync(file)
        except OSError as error:
            log.info("reserve_not_whole", reason=error.strerror)

    def spend(self, act: Callable[[], T]) -> T:
        """Do what makes room in the end; on a full disk a second time, with the reserve's room.

        Raises:
            DiskFull: there was none, or it was too little.
        """
        try:
            return act()
        except DiskFull:
            if not self._let_go():
                raise
            log.info("reserve_spent")
            return act()
        finally:
            self.fill()

    def _let_go(self) -> bool:
        try:
            had_some = self._path.stat().st_size > 0
            self._path.unlink()
        except OSError:
            return False
        return had_some
