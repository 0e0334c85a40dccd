"""Many episodes, made by several processes, in the order of their seeds."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from pocket.world.beginnings import make_beginnings
from pocket.world.episode import Episode, View
from pocket.world.making import USUAL, Settings, make_episode


def episodes(view: View, seeds: Iterable[int], settings: Settings = USUAL, num_workers: int = 1) -> Iterator[Episode]:
    """The episodes of some seeds, in their order; with several workers as quickly as those make them."""
    if num_workers == 1:
        yield from (make_episode(view, seed, settings) for seed in seeds)
        return
    # OpenGL and threads do not survive a fork.
    with multiprocessing.get_context("spawn").Pool(num_workers, _begin) as pool:
        yield from pool.imap(partial(_make, view, settings), seeds)


def _begin() -> None:
    os.environ["OMP_NUM_THREADS"] = "1"


def _make(view: View, settings: Settings, seed: int) -> Episode:
    return make_episode(view, seed, settings)


def measure_speed(num_workers: int, each_s: float) -> str:
    """How many of each kind so many processes make in a second, timed for `each_s`; their first is left out."""
    lines: list[str] = []
    with multiprocessing.get_context("spawn").Pool(num_workers, _begin) as pool:
        for kind, make in KINDS.items():
            rates = pool.map(partial(_rate, make, each_s), range(num_workers), chunksize=1)
            lines.append(f"{kind:7} {sum(rates):7.2f} a second, {sum(rates) / num_workers:6.2f} of a process")
    return "\n".join(lines)


def _rate(make: Callable[[int], object], each_s: float, index: int) -> float:
    first = index * 1_000_000
    make(first)
    began_s, count = time.monotonic(), 0
    while time.monotonic() - began_s < each_s:
        count += 1
        make(first + count)
    return count / (time.monotonic() - began_s)


KINDS: dict[str, Callable[[int], object]] = {
    "stills": partial(make_episode, "still"),
    "clips": partial(make_episode, "clip"),
    "runs": partial(make_episode, "policy"),
    "glances": partial(make_episode, "glance"),
    "tables": make_beginnings,
}
"""What training is rendered from; of a table all its beginnings."""
