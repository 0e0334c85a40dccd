"""One server with speck for every test that only asks it something."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from running import RunningServer, running


@pytest.fixture(scope="session")
def data_with_speck(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder whose speck has been built."""
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="session")
def server(data_with_speck: Path) -> Iterator[RunningServer]:
    with running(data_with_speck) as server:
        server.wait_ready()
        yield server
