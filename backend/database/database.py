"""Transactions on the database, and the threads that run them so that a slow disk never stops the event loop."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, create_engine, event
from sqlalchemy.exc import DatabaseError
from sqlalchemy.orm import Session

from studio.errors import DatabaseTooNew, DiskFull, StorageError

T = TypeVar("T")

_FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE)
"""What SQLite says when there is no room: for a page, and for the index of its log."""

NUM_READERS = 4
"""Jobs are read in a millisecond, while a search of the library takes fifty."""


def is_full(error: BaseException | None) -> bool:
    """Whether a driver's error says that the disk is full."""
    return isinstance(error, sqlite3.Error) and getattr(error, "sqlite_errorcode", 0) in _FULL


class Database:
    """One SQLite file.

    Everything that writes runs `alone`, on one thread: two moves never overlap. What only reads may run `beside` it:
    in WAL mode it waits for nobody, and it sees every transaction that was answered.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="database")
        self._readers = ThreadPoolExecutor(NUM_READERS, thread_name_prefix="database-reader")

    async def alone(self, act: Callable[[], T]) -> T:
        """Run something on the one thread that writes."""
        return await asyncio.get_running_loop().run_in_executor(self._writer, act)

    def in_turn(self, act: Callable[[], T]) -> T:
        """`alone`, for a thread of somebody's own: it waits until that is done."""
        return self._writer.submit(act).result()

    async def beside(self, look: Callable[[], T]) -> T:
        """Run something that only reads."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, look)

    async def look(self, query: Callable[[Session], T]) -> T:
        """Read in one transaction, beside whoever writes. Raises StorageError."""
        return await self.beside(partial(self._within, query))

    async def write(self, change: Callable[[Session], T]) -> T:
        """Change in one transaction. Raises DiskFull and StorageError."""
        return await self.alone(partial(self._within, change))

    def _within(self, act: Callable[[Session], T]) -> T:
        with self.transaction() as session:
            return act(session)

    @contextmanager
    def transaction(self, *, attached: Path | None = None) -> Generator[Session]:
        """A session that is written to disk at its end, or not at all.

        Args:
            attached: another database, whose tables are `backup.…` in it.

        Raises:
            DiskFull: there is no room.
            StorageError: the database did not answer.
        """
        try:
            with self.engine.connect() as connection:
                if attached is not None:
                    connection.detach()  # from the pool: closed afterwards, and with it what is attached
                    connection.exec_driver_sql("ATTACH DATABASE ? AS backup", (str(attached),))
                    connection.commit()
                with Session(connection) as session, session.begin():
                    yield session
        except DatabaseError as error:
            if is_full(error.orig):
                raise DiskFull(
                    "The disk is full: the database cannot be written.",
                    hint="Free some space and send the request again.",
                ) from None
            raise StorageError(f"The database did not answer: {error.orig}.", hint="Check the data folder.") from None

    def close(self) -> None:
        """Finish what was begun and let go of the file."""
        self._writer.shutdown()
        self._readers.shutdown()
        self.engine.dispose()


BUSY_TIMEOUT_MS = 5000


def open_database(path: Path) -> Database:
    """The database at `path`, migrated.

    Raises:
        DatabaseTooNew: a later Orrery wrote it.
        DiskFull: there is no room to open it.
        StorageError: it is no database, or cannot be opened.
    """
    engine = create_engine(f"sqlite:///{path}", connect_args={"check_same_thread": False})
    event.listen(engine, "connect", _configure)
    try:
        _migrate(engine, path)
    except DatabaseError as error:
        engine.dispose()
        if is_full(error.orig):
            raise DiskFull(
                f"The disk is full: the database {path} cannot be opened.", hint="Free some space, then start again."
            ) from None
        raise StorageError(
            f"{path} cannot be used as the database: {error.orig}.", hint="Move it away, or restore it from a backup."
        ) from None
    except DatabaseTooNew:
        engine.dispose()
        raise
    return Database(engine)


def _configure(connection: Any, _record: Any) -> None:
    cursor = connection.cursor()
    # synchronous=FULL: what was answered with 202 survives a power cut, not only a kill.
    for pragma in ("journal_mode=WAL", "synchronous=FULL", f"busy_timeout={BUSY_TIMEOUT_MS}", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _migrate(engine: Engine, path: Path) -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    with engine.begin() as connection:
        # Python's driver begins at the first row that is written: tables made before it would stay if we were killed.
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        current = MigrationContext.configure(connection).get_current_revision()
        if current is not None and current not in known:
            raise DatabaseTooNew(
                f"{path} was written by a newer Orrery (revision {current}).",
                param="data",
                hint="Start that version, or use another data folder.",
            )
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
