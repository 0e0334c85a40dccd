"""A database of its own for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.database import Database, open_database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = open_database(tmp_path / "orrery.db")
    yield database
    database.close()
