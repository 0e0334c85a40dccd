"""Held-out episodes, each exam's in a block of seeds of its own, rendered once for all exams that look at them."""

from __future__ import annotations

from pocket.world import Episode, make_episode
from pocket.world.episode import HELD_OUT_FROM, View

BLOCK = 1_000_000
"""Seeds of an exam; two exams never share a scene, but where they name the same block to share its rendering."""

STILLS, CLIPS, RUNS, PROMPTS, SCENES = range(5)
"""Blocks: stills, clips and policy runs of the world, prompts without a picture, tables of the bridge."""


def held_out(block: int, count: int, seed: int = 0) -> range:
    """The seeds of an exam.

    `pocket.train.shards` refuses to render seeds from ``HELD_OUT_FROM`` on, so that none of these was ever trained on.

    Args:
        seed: of the card; another one draws other questions.
    """
    assert 0 <= count <= BLOCK // 10
    first = HELD_OUT_FROM + block * BLOCK + (seed % 10) * (BLOCK // 10)
    return range(first, first + count)


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
