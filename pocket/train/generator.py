"""Stages `generator` and `policy`: the generating tower by rectified flow, in all modes at once; then more of policies.

As in the report the reasoner is left as it is, unless `reasoner_rate` says otherwise: then it learns along, slowly, and
goes on with its own lessons beside.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from transformers import Qwen3VLVisionModel

from engine.planning import PromptEncoder
from engine.towers import OmniModel
from pocket.train.flow import flow_loss
from pocket.train.loop import Options, State, needed_state, train
from pocket.train.modes import KINDS, Batch, BatchMaker, Mode
from pocket.train.reasoner import Lessons, Student, lesson_loss, read_reasoner, read_tokenizer
from pocket.train.samples import Drawn, Encoder, Sample, draw
from pocket.train.shards import Feed, Make, make_episode, read_shard, rendering
from pocket.train.sound_codec import read_sound
from pocket.train.tokenizing import tokenizer_folder
from pocket.train.video_vae import read_vae
from pocket.train.waiting import fill
from pocket.world.episode import View

GENERATOR, POLICY = "generator", "policy"

SHARES: dict[str, dict[Mode, float]] = {
    GENERATOR: {
        "t2i": 0.25,
        "t2v": 0.14,
        "i2v": 0.1,
        "v2v": 0.05,
        "still_transfer": 0.08,
        "transfer": 0.12,
        "hand_fd": 0.03,
        "hand_id": 0.03,
        "fd": 0.03,
        "id": 0.02,
        "policy": 0.15,
    },
    POLICY: {"policy": 0.8, "t2i": 0.06, "i2v": 0.04, "t2v": 0.04, "transfer": 0.03, "fd": 0.02, "id": 0.01},
}
"""Of steps. The report's mixture (table 6) with more pictures; after it, policies with a little of everything else."""

SOUND_SHARE = 0.5
"""Of clips, with their sound."""

ACTION_RATE = 5.0
"""On the learning rate of what is of actions alone, in the policy stage (report, 4.2.5)."""

MAX_SAMPLES = 60_000

TAKEN_EVERY = 4
"""Steps between two shards that are encoded."""

AHEAD = 8
"""Shards whose controls are drawn ahead of that, by threads."""


class Samples:
    """Samples in memory by kind, rate and shape, as shards come in."""

    def __init__(self, options: Options, encoder: Encoder, views: tuple[View, ...]) -> None:
        self._feed, self._encoder = Feed(options.data, views), encoder
        # Where nobody renders meanwhile, shards are waited for: a run with the same data repeats itself.
        self._waits = not options.workers
        self._pool = ThreadPoolExecutor(max(1, options.workers // 3))
        self._coming: list[Future[list[Drawn]]] = []
        self.groups: dict[str, dict[tuple[Any, ...], list[Sample]]] = {}
        self.count = 0

    def take(self) -> bool:
        """Encode one shard more; false where none waits."""
        if self.count > MAX_SAMPLES:
            return False
        self._coming += [self._pool.submit(drawn_of, path) for path in self._feed.take(AHEAD - len(self._coming))]
        if not self._coming or not (self._waits or self._coming[0].done()):
            return False
        for drawn in self._coming.pop(0).result():
            for sample in self._encoder.samples(drawn):
                group = self.groups.setdefault(sample.kind, {})
                group.setdefault((sample.fps, tuple(sample.vision.shape)), []).append(sample)
                self.count += 1
        return True

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown(cancel_futures=True)

    def draw(self, kind: str, count: int) -> list[Sample]:
        """Samples that stand side by side in a batch."""
        groups = list(self.groups[kind].values())
        sizes = torch.tensor([float(len(group)) for group in groups])
        group = groups[int(torch.multinomial(sizes, 1))]
        return [group[int(index)] for index in torch.randint(len(group), (count,))]


def drawn_of(path: Path) -> list[Drawn]:
    """The episodes of a shard with their controls."""
    return [draw(episode) for episode in read_shard(path)]


@dataclass(frozen=True)
class Drawer:
    """From samples to batches in the shares of a stage.

    Attributes:
        size: pictures of a batch; of clips as many fewer as they have latent frames.
    """

    samples: Samples
    maker: BatchMaker
    shares: Mapping[Mode, float]
    size: int

    def draw(self) -> Batch:
        """The next one, from the global random state; modes that nothing is there for are left out."""
        modes: list[Mode] = [mode for mode in self.shares if KINDS[mode] in self.samples.groups]
        weights = torch.tensor([self.shares[mode] for mode in modes])
        mode = modes[int(torch.multinomial(weights, 1))]
        kind = KINDS[mode]
        length = next(iter(self.samples.groups[kind].values()))[0].vision.shape[1]
        samples = self.samples.draw(kind, max(1, self.size // length))
        if mode == "still_transfer":
            hint = next(iter(samples[0].controls))
            samples = [sample for sample in samples if hint in sample.controls]
        return self.maker.make(mode, samples, with_sound=float(torch.rand(())) < SOUND_SHARE)


class Pupil(nn.Module):
    """What these stages train: of the towers the generator, and the rest where the reasoner learns along."""

    def __init__(self, model: OmniModel, student: Student | None) -> None:
        super().__init__()
        self.generator, self.student = model.generator, student


def run(options: Options, stage: str = GENERATOR, make: Make = make_episode, *, reasoner_rate: float = 0.0) -> State:
    """Train it; the policy stage begins with what the generator stage has made.

    Args:
        reasoner_rate: factor on the reasoner's learning rate; 0 leaves it as it is.

    Raises:
        BadInput: a stage before has not run.
    """
    model, sight = read_towers(options, before=stage)
    student = Student(model, sight)
    learns_along = reasoner_rate > 0
    student.requires_grad_(learns_along)
    pupil = Pupil(model, student if learns_along else None)
    config = model.config
    maker = BatchMaker(
        PromptEncoder(read_tokenizer(options)),
        patch=config.latent_patch_size,
        sound_width=config.sound_dim or 0,
        action_width=config.action_dim or 0,
    )
    views: dict[View, float] = {"still": 0.6, "clip": 0.2, "policy": 0.2}
    if stage == POLICY:
        views = {"still": 0.1, "clip": 0.1, "policy": 0.8}
    samples = Samples(options, Encoder(read_vae(options), read_sound(options), options.device), tuple(views))
    drawer = Drawer(samples, maker, SHARES[stage], options.batch)
    with ExitStack() as ending:
        lessons = Lessons(options, tokenizer_folder(options.out)) if learns_along else None
        ending.enter_context(closing(samples))
        if lessons is not None:
            ending.enter_context(closing(lessons))
        ending.enter_context(rendering(options.data, views, options.workers, options.shard_size, make))
        fill(samples.take, options)
        if lessons is not None:
            fill(lessons.take, options)

        def loss(step: int) -> tuple[Tensor, dict[str, float | Tensor]]:
            if step % TAKEN_EVERY == 0:
                samples.take()
            value, shown = flow_loss(model, drawer.draw(), trains_reasoner=learns_along)
            if lessons is not None:
                lessons.take()
                taught, of_lessons = lesson_loss(model, sight, lessons.draw(max(1, options.batch // 8)))
                value, shown = value + taught, {**shown, **of_lessons}
            return value, shown

        faster = [("student.", reasoner_rate)] if learns_along else []
        if stage == POLICY:
            faster.append(("generator.action.", ACTION_RATE))
        return train(stage, pupil, loss, options, faster=faster, notes={"learns_along": learns_along})


def read_towers(options: Options, before: str) -> tuple[OmniModel, Qwen3VLVisionModel]:
    """Both towers and the vision encoder as the stages before one have left them, on the device.

    A reasoner that has learnt along in one stage is what the next one begins with, though that may leave it as it is.

    Raises:
        BadInput: one of those stages has not run.
    """
    model, sight = read_reasoner(options)
    if before == POLICY:
        load_generator(model, Student(model, sight), needed_state(options.out, GENERATOR))
    return model, sight


def load_generator(model: OmniModel, student: Student, state: State) -> None:
    """Put what a generator or policy stage has made into the towers, the reasoner too where it learnt along."""
    learns_along = bool(state.notes["learns_along"])
    pupil = Pupil(model, student if learns_along else None)
    pupil.load_state_dict(state.average)
