"""Two stills as a card draws them, two clips of a small canvas, and an untrained checkpoint of toy size."""

from __future__ import annotations

from pathlib import Path

import pytest

from pocket.train.shape import TOY
from pocket.train.sizes import build_untrained
from pocket.world import Episode, Settings, make_episode
from pocket.world.episode import HELD_OUT_FROM
from robot.simulation.library import GRAPHICS

SMALL = Settings(size=(96, 96), num_frames=9, fps=15, plain_arm=True)
CLIP_SEEDS = (4, 7)


@pytest.fixture(scope="session")
def graphics() -> None:
    if not GRAPHICS.can_draw:
        pytest.skip(GRAPHICS.problem)


@pytest.fixture(scope="session")
def stills(graphics: None) -> tuple[Episode, Episode]:
    return make_episode("still", HELD_OUT_FROM + 1), make_episode("still", HELD_OUT_FROM + 2)


@pytest.fixture(scope="session")
def clips(graphics: None) -> tuple[Episode, Episode]:
    one, other = (make_episode("clip", seed, SMALL) for seed in CLIP_SEEDS)
    return one, other


@pytest.fixture(scope="session")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkpoints") / "toy"
    build_untrained(folder, TOY)
    return folder
