"""One server with speck for every test that only asks it something."""

import gc
import os
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from running import RunningServer, running

# Two tests and their servers share two cores: a thread of torch that waits for another must sleep, or it takes the core
# of the one that it waits for. Read when torch is first imported, here and in every process that a test starts.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

ROOT = Path(__file__).parent.parent
FIRST = ("browser", "wire", "backend")
"""Folders with servers of their own and long files. They stay together, so that a browser and a server are started once
a process, and come first, so that short files fill both processes up to the end."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage while tests are collected: ten thousand make hardly any, and all of them stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the folders that come first."""
    places = {name: place for place, name in enumerate(FIRST)}
    items.sort(key=lambda item: places.get(item.path.relative_to(ROOT).parts[1], len(places)))


@pytest.fixture(scope="session")
def data_with_speck(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder whose speck has been built."""
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="session")
def server(data_with_speck: Path) -> Iterator[RunningServer]:
    with running(data_with_speck) as server:
        server.wait_ready()
        yield server
