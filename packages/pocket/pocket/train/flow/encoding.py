"""Shards of episodes turned into shards of latents by processes of their own, while a generator trains.

Drawing a clip's controls takes a second and encoding a policy's moments half a one: done between two steps they would
take as long as the steps. A latent shard is a function of its episodes and of the codecs; its folder bears their steps.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing.synchronize import Event
from pathlib import Path
from zlib import crc32

import cv2
import torch

from pocket.train.flow.samples import DrawnEpisode, Encoder, Sample, draw
from pocket.train.loop import Options, needed_state
from pocket.train.shards import EPISODES, LATENTS, Feed, Source, read_shard, running
from pocket.train.sound_codec import read_sound
from pocket.train.video_vae import read_vae
from tuning import ranks

PAUSE_S = 0.2
"""Of a process that finds nothing to encode."""


def latent_folder(options: Options) -> Path:
    """Where the latents of the codecs in `options.out` are."""
    steps = [needed_state(options.out, stage).step for stage in ("vae", "sound")]
    return options.data / "latents-{}-{}".format(*steps)


def read_encoder(options: Options) -> Encoder:
    """The trained codecs on the device."""
    return Encoder(read_vae(options), read_sound(options), options.device)


def drawn_of(path: Path) -> list[DrawnEpisode]:
    """The episodes of a shard with their controls."""
    return [draw(episode) for episode in read_shard(path)]


def read_latents(path: Path) -> list[Sample]:
    """The samples of a file that was written here, on the host."""
    return torch.load(path, map_location="cpu", weights_only=False)


@contextmanager
def encoding(options: Options, sources: tuple[Source, ...]) -> Iterator[None]:
    """`options.encoders` processes that encode whatever shards there are, as long as the block runs.

    They take the other GPUs of the machine, where it has any. Of several processes that train together the first one
    has them.
    """
    context = multiprocessing.get_context("spawn")
    ended = context.Event()
    folder = latent_folder(options)
    folder.mkdir(parents=True, exist_ok=True)
    processes = [
        context.Process(
            target=_encode_on,
            args=(replace(options, device=device), folder, sources, index, options.encoders, ended),
            daemon=True,
        )
        for index, device in zip(range(options.encoders), _devices(options), strict=True)
        if ranks.is_first()
    ]
    with running(processes, ended, folder):
        yield


def _devices(options: Options) -> list[str]:
    """One for each process, in turn."""
    if "cuda" not in options.device:
        return [options.device] * options.encoders
    own = torch.device(options.device).index or 0
    # Of several that train together the first asks, and the others have the GPUs that follow its own.
    others = [index for index in range(torch.cuda.device_count()) if not own <= index < own + ranks.count()] or [own]
    return [f"cuda:{others[index % len(others)]}" for index in range(options.encoders)]


def _encode_on(
    options: Options, folder: Path, sources: tuple[Source, ...], index: int, encoders: int, ended: Event
) -> None:
    os.nice(5)
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    encoder = read_encoder(options)
    feed = Feed(options.data, sources, (EPISODES,))
    while not ended.is_set():
        paths = feed.take(1)
        if not paths:
            time.sleep(PAUSE_S)
            continue
        target = folder / paths[0].with_suffix(LATENTS).name
        if crc32(paths[0].name.encode()) % encoders == index and not target.is_file():
            encode_shard(encoder, paths[0], target)


def encode_shard(encoder: Encoder, path: Path, target: Path) -> None:
    """Write the samples of a shard's episodes; the file appears whole."""
    samples = [_on_host(sample) for drawn in drawn_of(path) for sample in encoder.samples(drawn)]
    part = target.with_suffix(f".{os.getpid()}.part")
    torch.save(samples, part)
    part.replace(target)


def _on_host(sample: Sample) -> Sample:
    """Without the storage that it shares with its neighbours: saving would write all of that."""
    return replace(
        sample,
        vision=sample.vision.cpu().clone(),
        controls={hint: latents.cpu().clone() for hint, latents in sample.controls.items()},
        sound=None if sample.sound is None else sample.sound.cpu().clone(),
    )
