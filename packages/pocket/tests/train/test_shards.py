"""Renderers beside a run: each seed of a run has scenes of its own."""

import time
from pathlib import Path

from pocket.train.shards import Source, rendering, shards
from pocket.world.episode import Episode


def no_episodes(source: Source, seed: int) -> list[Episode]:
    """A world that is rendered at once."""
    return []


def rendered(folder: Path, seed: int) -> set[str]:
    """Names of what one process renders for a run of this seed."""
    with rendering(folder, {"still": 1.0}, 1, 4, no_episodes, stage="pictures", seed=seed):
        while len(shards(folder, "still")) < 3:
            time.sleep(0.02)
    return {path.name for path in shards(folder, "still")}


def test_runs_of_different_seeds_render_different_scenes(tmp_path):
    first, second = rendered(tmp_path / "a", 0), rendered(tmp_path / "b", 1)
    assert not first & second
    assert rendered(tmp_path / "c", 0) & first
