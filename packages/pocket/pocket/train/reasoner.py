"""Stage `reasoner`: the reading tower and the vision encoder, taught to answer."""

from __future__ import annotations

import os
from contextlib import closing, nullcontext
from multiprocessing import get_context
from multiprocessing.pool import AsyncResult
from pathlib import Path

import torch
from torch import nn
from transformers import AutoTokenizer, PreTrainedTokenizerFast, Qwen3VLVisionModel

from engine.speck.layout import write_processors
from engine.towers import OmniModel
from pocket.train.assemble import CLIP_PIXELS, STILL_PIXELS
from pocket.train.codecs import fresh_sight
from pocket.train.lessons.batch import LessonBatch, PictureTensors, batched
from pocket.train.lessons.error import LessonSteps, Student
from pocket.train.lessons.writing import Lesson, LessonWriter, exchanges
from pocket.train.loop import Options, State, needed_state, train
from pocket.train.shape import SHAPES
from pocket.train.shards import Feed, Make, Source, make_episodes, one_thread_each, read_shard, rendering
from pocket.train.tokenizing import tokenizer_folder
from pocket.train.waiting import fill
from tuning.ahead import Ahead
from tuning.weights import fresh_model

STAGE = "reasoner"

LENGTH_STEP = 64
"""Lessons are filled up to a multiple of so many tokens on a GPU, where each shape is recorded."""

POOL = 4
"""Times as many lessons are drawn as a step takes; those that are most alike in length go together."""

MAX_LESSONS = 400_000


class Lessons:
    """Lessons in memory, by what they show, as shards come in.

    Args:
        workers: processes that write them; 0 is this one.
    """

    def __init__(self, options: Options, writer_folder: Path) -> None:
        self._feed = Feed(options.data, ("still", "clip"))
        self._pictures = PictureTensors(torch.device(options.device))
        self._device, self._seed = torch.device(options.device), options.seed
        self._args = (writer_folder, SHAPES[options.shape].vocabulary)
        writers = options.encoders or -(-options.workers // 3)
        with one_thread_each():
            self._pool = get_context("spawn").Pool(writers, os.nice, (5,)) if writers else None
        self._coming: list[AsyncResult[list[Lesson]]] = []
        self.groups: dict[tuple[int, ...] | None, list[Lesson]] = {}
        self.count = 0

    def take(self) -> bool:
        """Take in what one shard more gives; false where none waits."""
        if self.count > MAX_LESSONS:
            return False
        if self._pool is None:
            paths = self._feed.take(1)
            for path in paths:
                self._add(lessons_of(path, *self._args))
            return bool(paths)
        self._coming += [self._pool.apply_async(lessons_of, (path, *self._args)) for path in self._feed.take(8)]
        if not self._coming or not self._coming[0].ready():
            return False
        self._add(self._coming.pop(0).get())
        return True

    def draw(self, count: int, dice: torch.Generator) -> list[Lesson]:
        """Lessons that show alike and are alike in length."""
        groups = [group for group in self.groups.values() if group]
        sizes = torch.tensor([float(len(group)) for group in groups])
        group = groups[int(torch.multinomial(sizes.sqrt(), 1, generator=dice))]
        indexes = torch.randint(len(group), (count * POOL,), generator=dice).tolist()
        picked = sorted((group[index] for index in indexes), key=lambda own: len(own.tokens))
        start = int(torch.randint(len(picked) - count + 1, (), generator=dice))
        return picked[start : start + count]

    def ahead(self, count: int) -> Ahead[LessonBatch]:
        """Batches of so many, each drawn while the one before is learnt."""
        return Ahead(lambda dice: self._batch(count, dice), self._seed, lambda step: self.take())

    def close(self) -> None:
        """End the processes, whatever they are at: whoever holds a GPU does not wait for it."""
        if self._pool is not None:
            self._pool.terminate()
            self._pool.join()

    def _batch(self, count: int, dice: torch.Generator) -> LessonBatch:
        step = LENGTH_STEP if self._device.type == "cuda" else 1
        return batched(self.draw(count, dice), self._device, self._pictures, length_step=step)

    def _add(self, lessons: list[Lesson]) -> None:
        for lesson in lessons:
            self.groups.setdefault(lesson.grid, []).append(lesson)
        self.count += len(lessons)


def lessons_of(path: Path, folder: Path, size: int) -> list[Lesson]:
    """All lessons of a shard."""
    writer = _writer(folder, size)
    return [writer.write(episode, exchange) for episode in read_shard(path) for exchange in exchanges(episode)]


_WRITERS: dict[Path, LessonWriter] = {}


def _writer(folder: Path, size: int) -> LessonWriter:
    if folder not in _WRITERS:
        _WRITERS[folder] = LessonWriter(folder, AutoTokenizer.from_pretrained(folder, local_files_only=True), size)
    return _WRITERS[folder]


def run(options: Options, make: Make = make_episodes) -> State:
    """Train it on everything that can be asked about the episodes."""
    folder = tokenizer_folder(options.out)
    write_processors(folder, STILL_PIXELS, CLIP_PIXELS)
    model, sight = fresh_reasoner(options)
    student = Student(model, sight)
    lessons = Lessons(options, folder)
    sources: dict[Source, float] = {"still": 0.7, "clip": 0.3}
    shares = rendering(options.data, sources, options.workers, options.shard_size, make, stage=STAGE, seed=options.seed)
    try:
        with shares if options.workers else nullcontext():
            fill(lessons.take, options)
            with closing(lessons.ahead(options.batch)) as batches:
                steps = LessonSteps(model, student, settle=batches.settle)
                return train(STAGE, student, lambda step: steps.loss(batches.take(step)), options)
    finally:
        lessons.close()


def fresh_reasoner(options: Options) -> tuple[OmniModel, Qwen3VLVisionModel]:
    """Both towers and the vision encoder before anything is learnt, on the device."""
    shape = SHAPES[options.shape]
    torch.manual_seed(options.seed)
    model = fresh_model(shape.model(), options.seed).to(options.device)
    sight = fresh_sight(shape).train()
    nn.Module.to(sight, options.device)
    return model, sight


def read_reasoner(options: Options) -> tuple[OmniModel, Qwen3VLVisionModel]:
    """Both towers with the trained reasoner in them, and the trained vision encoder.

    Raises:
        BadInput: the stage has not run.
    """
    model, sight = fresh_reasoner(options)
    Student(model, sight).load_state_dict(needed_state(options.out, STAGE).average)
    return model, sight


def read_tokenizer(options: Options) -> PreTrainedTokenizerFast:
    """The trained tokenizer.

    Raises:
        BadInput: the stage has not run.
    """
    return AutoTokenizer.from_pretrained(tokenizer_folder(options.out), local_files_only=True)
