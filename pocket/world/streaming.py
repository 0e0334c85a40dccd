"""Many episodes, made by several processes, in the order of their seeds."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Iterable, Iterator
from functools import partial

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


def measure_rate(view: View, seed: int, count: int, settings: Settings, num_workers: int) -> str:
    """Make episodes and say how many an hour that is; the first of each worker, which reads the arm, is left out."""
    began_s = time.monotonic()
    num_frames = 0
    for index, episode in enumerate(episodes(view, range(seed, seed + count + num_workers), settings, num_workers)):
        if index == num_workers - 1:
            began_s = time.monotonic()
        if index >= num_workers:
            num_frames += len(episode.frames)
    took_s = time.monotonic() - began_s
    each_s = took_s * num_workers / count
    return (
        f"{count} episodes ({view}, {num_frames / count:.0f} frames each) in {took_s:.1f} s by {num_workers} workers: "
        f"{each_s:.2f} s each, {3600 / each_s:,.0f} an hour for every worker, {3600 * count / took_s:,.0f} in all"
    )
