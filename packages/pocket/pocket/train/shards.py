"""Episodes on disk, some to a file, and the processes that render further ones while training runs.

A shard is a function of its name: "clip-0000000032-16" holds the episodes of the view "clip" and the seeds 32 to 47.
Nothing here is ever shipped; a folder in memory (/dev/shm) is the quickest place for it.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import random
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from multiprocessing.context import SpawnProcess
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Literal

import cv2

from pocket.world.episode import HELD_OUT_FROM, Episode, View
from tuning import ranks

Source = View | Literal["beginnings"]
"""What a shard is made of: episodes of a view, or `pocket.world.beginnings`, which are glances, several of a seed."""

Make = Callable[[Source, int], list[Episode]]
"""The world: from a seed to its episode, or its beginnings."""

EPISODES, LATENTS = ".episodes", ".latents"
"""What files of episodes end in, and those of what `pocket.train.flow.encoding` makes of them."""

SIZES: dict[Source, float] = {"still": 4.0, "clip": 1.0, "policy": 0.25, "glance": 1.0, "beginnings": 1.0}
"""Seeds of a shard against the shard size that is asked for: all shards then take about as long to render."""

FIRST_SHARDS = {
    "vae": 0,
    "sound": 1_000_000,
    "reasoner": 2_000_000,
    "pictures": 3_000_000,
    "generator": 4_000_000,
    "whole": 0,
}
"""Where the renderers of a stage begin to count."""

SEED_SHARDS, NUM_SEEDS = 5_000_000, 10
"""Shards between those of one seed and of the next, and how many seeds have scenes of their own."""

LOOK_EVERY_S = 0.25
"""How often a feed looks for new shards: a folder of thousands takes as long as a step."""

ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "LP_NUM_THREADS": "1"}
"""For processes of which there is one for each core: NumPy's BLAS and OSMesa read them as they are loaded.

Without it each of them has threads for all cores, which wait by spinning: on four cores four renderers drew a seventh
of the policies that they draw with it, and who trains waits as well."""

KEEP_FREE_BYTES = 4 * 2**30
"""Renderers stop where less than this is left on the disk."""


def make_episodes(source: Source, seed: int) -> list[Episode]:
    """The tabletop's."""
    from pocket.world.beginnings import make_beginnings
    from pocket.world.making import make_episode

    return make_beginnings(seed) if source == "beginnings" else [make_episode(source, seed)]


def shard_name(source: Source, first_seed: int, count: int) -> str:
    """The file of some episodes."""
    return f"{source}-{first_seed:010}-{count}{EPISODES}"


def write_shard(folder: Path, source: Source, first_seed: int, count: int, make: Make) -> Path:
    """Render a shard, unless it is there; it appears whole."""
    assert first_seed + count <= HELD_OUT_FROM
    path = folder / shard_name(source, first_seed, count)
    if not path.is_file():
        episodes = [episode for seed in range(first_seed, first_seed + count) for episode in make(source, seed)]
        folder.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}.part")
        part.write_bytes(pickle.dumps(episodes, protocol=5))
        part.replace(path)
    return path


def read_shard(path: Path) -> list[Episode]:
    """The episodes of a file that was written here. Like any pickle it may hold code: read nobody else's."""
    return pickle.loads(path.read_bytes())


def shards(folder: Path, source: Source, suffixes: tuple[str, ...] = (EPISODES,)) -> list[Path]:
    """All that are there, by their seeds."""
    return sorted(path for suffix in suffixes for path in folder.glob(f"{source}-*{suffix}"))


def render(folder: Path, counts: Mapping[Source, int], shard_size: int, make: Make = make_episodes) -> None:
    """Render the first `counts` episodes of each source, in this process."""
    for source, count in counts.items():
        size = size_of(source, shard_size)
        for first in range(0, count, size):
            write_shard(folder, source, first, min(size, count - first), make)


def size_of(source: Source, shard_size: int) -> int:
    """How many episodes a whole shard of a source has."""
    return max(1, round(SIZES[source] * shard_size))


@contextmanager
def rendering(
    folder: Path,
    shares: Mapping[Source, float],
    workers: int,
    shard_size: int,
    make: Make = make_episodes,
    *,
    stage: str,
    seed: int,
) -> Iterator[None]:
    """Processes that render shards of these sources, in these shares, as long as the block runs.

    Each stage and each seed has shards of its own: two that run side by side do not render the same, and a checkpoint
    that is gone on with under another seed sees scenes that it has not seen. Which seeds there are
    grows without gaps in the long run, but which shard comes when depends on the machine. Of several processes that
    train together the first one has them.
    """
    workers = workers if ranks.is_first() else 0
    first = FIRST_SHARDS[stage] + SEED_SHARDS * (seed % NUM_SEEDS)
    context = multiprocessing.get_context("spawn")
    ended = context.Event()
    processes = [
        context.Process(
            target=_render_on,
            args=(folder, dict(shares), first + index, workers, shard_size, make, ended),
            daemon=True,
        )
        for index in range(workers)
    ]
    with running(processes, ended, folder):
        yield


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Processes that are spawned in the block load their libraries with a single thread each."""
    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(ONE_THREAD)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def running(processes: Sequence[SpawnProcess], ended: Event, folder: Path) -> Iterator[None]:
    """Processes that write into a folder, as long as the block runs; what they have begun is cleared away."""
    with one_thread_each():
        for process in processes:
            process.start()
    try:
        yield
    finally:
        ended.set()
        # At once: a shard that is begun may take a minute, and whoever holds a GPU does not wait for it.
        for process in processes:
            process.terminate()
        for process in processes:
            process.join(20)
            for part in folder.glob(f"*.{process.pid}.part"):
                part.unlink()


def _render_on(
    folder: Path,
    shares: Mapping[Source, float],
    index: int,
    workers: int,
    shard_size: int,
    make: Make,
    ended: Event,
) -> None:
    # Behind the process that trains: whoever feeds a GPU with small kernels must not wait for a core.
    cv2.setNumThreads(1)
    os.nice(10)
    folder.mkdir(parents=True, exist_ok=True)
    dice = random.Random(index)
    sources, weights = list(shares), list(shares.values())
    # A worker has every `workers`th shard of each source to itself; those that are there already are skipped quickly.
    following = dict.fromkeys(sources, index)
    while not ended.is_set() and shutil.disk_usage(folder).free > KEEP_FREE_BYTES:
        source = dice.choices(sources, weights)[0]
        size = size_of(source, shard_size)
        write_shard(folder, source, following[source] * size, size, make)
        following[source] += workers


class Feed:
    """Shards of some sources as they appear, each handed out once.

    Args:
        suffixes: which files are looked at.
    """

    def __init__(self, folder: Path, sources: Sequence[Source], suffixes: tuple[str, ...] = (EPISODES,)) -> None:
        self._folder, self._sources, self._suffixes = folder, tuple(sources), suffixes
        self._taken: set[str] = set()
        self._waiting: list[Path] = []
        self._looked_s = -LOOK_EVERY_S

    def take(self, most: int) -> list[Path]:
        """The next ones, at most so many; the sources in turn."""
        if not self._waiting and time.monotonic() - self._looked_s > LOOK_EVERY_S:
            self._looked_s = time.monotonic()
            fresh = self._fresh()
            waiting = [[name for name in fresh if name.startswith(f"{source}-")] for source in self._sources]
            names = [name for turn in zip_longest(*waiting) for name in turn if name is not None]
            self._waiting = [self._folder / name for name in names]
            self._taken.update(names)
        handed, self._waiting = self._waiting[:most], self._waiting[most:]
        return handed

    def _fresh(self) -> list[str]:
        # Names and no paths: of some thousand files almost all are known, and a step does not wait for the look.
        if not self._folder.is_dir():
            return []
        return sorted(
            name for name in os.listdir(self._folder) if name not in self._taken and name.endswith(self._suffixes)
        )
