"""Held-out episodes, rendered once for all exams that look at them."""

from __future__ import annotations

from functools import lru_cache

from pocket.report.seeds import CLIPS, RUNS, STILLS, held_out
from pocket.world import Episode, make_episode
from pocket.world.episode import View

BLOCKS: dict[View, int] = {"still": STILLS, "clip": CLIPS, "policy": RUNS}


def scenes(view: View, count: int, seed: int) -> tuple[Episode, ...]:
    """The first so many of a card's seed. Raises NotInstalled where nothing can be drawn."""
    return tuple(_episode(view, number) for number in held_out(BLOCKS[view], count, seed))


@lru_cache(maxsize=512)
def _episode(view: View, seed: int) -> Episode:
    return make_episode(view, seed)
