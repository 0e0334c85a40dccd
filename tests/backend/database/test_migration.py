"""The database of a data folder: made whole or not at all, and left alone where a later version wrote it."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic import op

from backend.database import open_database
from studio.errors import DatabaseTooNew


def test_a_database_of_a_later_version_is_refused_and_stays_as_it_is(tmp_path: Path):
    path = tmp_path / "orrery.db"
    open_database(path).close()
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")
        database.commit()

    with pytest.raises(DatabaseTooNew, match="9999"):
        open_database(path)

    with closing(sqlite3.connect(path)) as database:
        assert database.execute("SELECT version_num FROM alembic_version").fetchall() == [("9999",)]


def test_a_database_whose_making_is_interrupted_is_made_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(op, "execute", killed)  # the last thing that is made
        with pytest.raises(KeyboardInterrupt):
            open_database(tmp_path / "orrery.db")

    with closing(sqlite3.connect(tmp_path / "orrery.db")) as database:
        assert database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall() == []
    open_database(tmp_path / "orrery.db").close()
