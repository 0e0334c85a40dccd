"""Opening the database: SQLite in WAL mode, brought to the newest revision before anybody reads it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, create_engine, event
from sqlalchemy.exc import DatabaseError

from backend.database.database import Database, is_full
from studio.errors import DatabaseTooNew, DiskFull, StorageError

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
                f"The disk is full: the database {path} cannot be opened.", hint="Free some room, then start again."
            ) from None
        raise StorageError(
            f"{path} cannot be used as the database: {error.orig}.", hint="Move it away, or restore it from a copy."
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
                f"{path} was written by a later Orrery (revision {current}).",
                param="data",
                hint="Start that version, or choose another data folder.",
            )
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
