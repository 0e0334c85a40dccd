"""Stage `tokenizer`: merges learnt from what episodes say."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from pocket.train.lessons.writing import exchanges
from pocket.train.loop import Options
from pocket.train.shape import SHAPES
from pocket.train.shards import Make, Source, make_episodes, read_shard, render, shards, size_of
from pocket.train.tokenizer import train_tokenizer
from pocket.train.waiting import PAUSE_S

STAGE = "tokenizer"

NUM_EPISODES = 256
"""Stills; a quarter as many clips and a sixteenth as many of policies. More change a handful of merges."""


def tokenizer_folder(out: Path) -> Path:
    """Where this stage leaves what it makes."""
    return out / STAGE


def run(options: Options, make: Make = make_episodes, num_episodes: int = NUM_EPISODES) -> int:
    """Learn it from the first episodes, rendering those that are not there; returns its number of tokens."""
    counts: dict[Source, int] = {"still": num_episodes, "clip": num_episodes // 4, "policy": num_episodes // 16}
    if options.is_fed:
        _await(options, counts)
    if not shards(options.data, "still"):
        render(options.data, counts, options.shard_size, make)
    tokenizer = train_tokenizer(_texts(options, counts), SHAPES[options.shape].vocabulary)
    tokenizer.save_pretrained(tokenizer_folder(options.out))
    return len(tokenizer)


def _await(options: Options, counts: Mapping[Source, int]) -> None:
    """Until so many are there, or half of the time is over."""
    end = time.monotonic() + options.time_limit_s / 2
    while time.monotonic() < end and any(
        len(shards(options.data, source)) * size_of(source, options.shard_size) < count
        for source, count in counts.items()
    ):
        time.sleep(PAUSE_S)


def _texts(options: Options, counts: dict[Source, int]) -> Iterator[str]:
    for source, count in counts.items():
        for path in shards(options.data, source)[: -(-count // size_of(source, options.shard_size))]:
            for episode in read_shard(path):
                for wording in episode.wordings:
                    yield wording.prose
                    yield wording.caption
                yield from episode.task.instructions
                for exchange in exchanges(episode):
                    yield exchange.question
                    yield exchange.answer
