"""One server with speck for every test that only asks it something."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from running import RunningServer, running


@pytest.hookimpl(tryfirst=True)  # the plugin that reads the groups looks at them in the same hook
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files stay whole on one of the processes; the browser's share one server, so that all of them stay on one."""
    for item in items:
        group = "browser" if "browser" in item.path.parts else item.path.relative_to(item.config.rootpath).as_posix()
        item.add_marker(pytest.mark.xdist_group(group))


@pytest.fixture(scope="session")
def data_with_speck(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder whose speck has been built."""
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="session")
def server(data_with_speck: Path) -> Iterator[RunningServer]:
    with running(data_with_speck) as server:
        server.wait_ready()
        yield server
