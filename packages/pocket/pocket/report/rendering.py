"""Held-out episodes, rendered once for all exams that look at them."""

from __future__ import annotations

from pocket.report.seeds import CLIPS, RUNS, STILLS, held_out
from pocket.world import Episode, make_episode
from pocket.world.episode import View

_RENDERED: dict[tuple[View, int], Episode] = {}

BLOCKS: dict[View, int] = {"still": STILLS, "clip": CLIPS, "policy": RUNS}


def scenes(view: View, count: int, seed: int) -> tuple[Episode, ...]:
    """The first so many of a card's seed. Raises NotInstalled where nothing can be drawn."""
    return tuple(_episode(view, number) for number in held_out(BLOCKS[view], count, seed))


def missing(view: View, count: int, seed: int) -> list[int]:
    """Seeds of those that are still to be rendered."""
    return [number for number in held_out(BLOCKS[view], count, seed) if (view, number) not in _RENDERED]


def keep(view: View, number: int, episode: Episode) -> None:
    """Take one that another process has rendered."""
    _RENDERED[view, number] = episode


def _episode(view: View, number: int) -> Episode:
    if (view, number) not in _RENDERED:
        _RENDERED[view, number] = make_episode(view, number)
    return _RENDERED[view, number]
