"""A flat world's episodes, and an untrained checkpoint of toy size, each made once a session."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from pocket.train.loop import Options
from pocket.train.shape import TOY
from pocket.train.shards import render
from pocket.train.sizes import build_untrained
from pocket_flat_world import flat_episodes


@pytest.fixture(scope="session", autouse=True)
def two_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def flat_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("episodes")
    render(folder, {"still": 16, "clip": 8, "policy": 4, "glance": 4, "beginnings": 4}, 8, flat_episodes)
    return folder


@pytest.fixture(scope="session")
def untrained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkpoints") / "toy"
    build_untrained(folder, TOY)
    return folder


@pytest.fixture
def options(flat_data: Path, tmp_path: Path) -> Options:
    """A run of a few steps at toy size."""
    return Options(
        out=tmp_path / "out",
        data=flat_data,
        time_limit_s=3600,
        steps=30,
        batch=4,
        learning_rate=3e-3,
        log_every=5,
        shard_size=8,
        shape="toy",
    )
