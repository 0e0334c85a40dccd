"""Samples in memory by kind, rate and shape, as shards come in, and batches drawn from them."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from pocket.train.flow.encoding import drawn_of, latent_folder, read_encoder, read_latents
from pocket.train.flow.modes import DRAWS, KINDS, Batch, BatchMaker, Mode
from pocket.train.flow.samples import DrawnEpisode, Sample
from pocket.train.loop import Options
from pocket.train.shards import EPISODES, LATENTS, Feed, Source

SOUND_SHARE = 0.3
"""Of clips, with their sound: at half of them it was learnt by heart."""

MAX_SAMPLES = 400_000
"""Some 40 GB: most are stills and glances."""

AHEAD = 8
"""Shards that threads read ahead, or whose controls they draw."""


class Samples:
    """Samples by kind, rate and shape.

    What `pocket.train.flow.encoding` has encoded is read; without its processes, episodes are encoded here.
    """

    def __init__(self, options: Options, sources: tuple[Source, ...]) -> None:
        encodes = not options.encoders
        self._feed = (
            Feed(options.data, sources, (EPISODES, LATENTS))
            if encodes
            else Feed(latent_folder(options), sources, (LATENTS,))
        )
        self._encoder = read_encoder(options) if encodes else None
        self._device = torch.device(options.device)
        # Where nobody renders or encodes meanwhile, shards are waited for: a run with the same data repeats itself.
        self._waits = encodes and not options.workers
        self._pool = ThreadPoolExecutor(max(1, options.workers // 3) if encodes else 2)
        self._coming: list[Future[list[DrawnEpisode] | list[Sample]]] = []
        self.groups: dict[str, dict[tuple[Any, ...], list[Sample]]] = {}
        self.count = 0

    def take(self) -> bool:
        """Take in one shard more; false where none waits."""
        if self.count > MAX_SAMPLES:
            return False
        self._coming += [self._pool.submit(_read, path) for path in self._feed.take(AHEAD - len(self._coming))]
        if not self._coming or not (self._waits or self._coming[0].done()):
            return False
        for part in self._coming.pop(0).result():
            for sample in [part] if isinstance(part, Sample) else self._encoded(part):
                group = self.groups.setdefault(sample.kind, {})
                group.setdefault((sample.fps, tuple(sample.vision.shape)), []).append(self._kept(sample))
                self.count += 1
        return True

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown(cancel_futures=True)

    def draw(self, kind: str, count: int, dice: torch.Generator) -> list[Sample]:
        """Samples that stand side by side in a batch."""
        groups = list(self.groups[kind].values())
        sizes = torch.tensor([float(len(group)) for group in groups])
        group = groups[int(torch.multinomial(sizes, 1, generator=dice))]
        return [group[index] for index in torch.randint(len(group), (count,), generator=dice).tolist()]

    def _encoded(self, drawn: DrawnEpisode) -> list[Sample]:
        assert self._encoder is not None
        return self._encoder.samples(drawn)

    def _kept(self, sample: Sample) -> Sample:
        """On the device, where batches are put together."""
        return replace(
            sample,
            vision=sample.vision.to(self._device),
            controls={hint: latents.to(self._device) for hint, latents in sample.controls.items()},
            sound=None if sample.sound is None else sample.sound.to(self._device),
            squares=None if sample.squares is None else sample.squares.to(self._device),
        )


def _read(path: Path) -> list[DrawnEpisode] | list[Sample]:
    return read_latents(path) if path.suffix == LATENTS else drawn_of(path)


@dataclass(frozen=True)
class Drawer:
    """From samples to batches in the shares of a stage.

    Attributes:
        size: sequences of a single frame that a batch makes; of clips as many fewer as they have latent frames.
    """

    samples: Samples
    maker: BatchMaker
    shares: Mapping[Mode, float]
    size: int

    @property
    def modes(self) -> list[Mode]:
        """Those that there is something for."""
        return [mode for mode in self.shares if KINDS[mode] in self.samples.groups]

    def draw(self, dice: torch.Generator) -> Batch:
        """A batch of one of `modes`."""
        modes = self.modes
        weights = torch.tensor([self.shares[mode] for mode in modes])
        mode = modes[int(torch.multinomial(weights, 1, generator=dice))]
        kind = KINDS[mode]
        length = next(iter(self.samples.groups[kind].values()))[0].vision.shape[1]
        size = self.size // DRAWS.get(mode, 1)
        samples = self.samples.draw(kind, max(1, size // length), dice)
        if mode == "still_transfer":
            hint = next(iter(samples[0].controls))
            # A still has one control: of these some quarter has the same, and batches are of one size.
            samples = [sample for sample in samples if hint in sample.controls][: max(1, size * 3 // 16)]
        with_sound = float(torch.rand((), generator=dice)) < SOUND_SHARE
        return self.maker.make(mode, samples, dice, with_sound=with_sound)
