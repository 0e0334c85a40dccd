"""Stage `reasoner`: the reading tower and the vision encoder, taught to answer."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import nullcontext
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from transformers import AutoTokenizer, PreTrainedTokenizerFast, Qwen3VLVisionModel

from engine.towers import OmniModel
from pocket.train.assemble import write_processors
from pocket.train.codecs import fresh_sight
from pocket.train.lessons import Lesson, LessonWriter, exchanges
from pocket.train.loop import Options, State, needed_state, train
from pocket.train.passes import onto, read
from pocket.train.shape import SHAPES
from pocket.train.shards import Feed, Make, make_episode, read_shard, rendering
from pocket.train.sight import cut, look
from pocket.train.tokenizing import tokenizer_folder
from pocket.train.waiting import fill
from pocket.train.weights import fresh_model

STAGE = "reasoner"

QUESTION_WEIGHT = 0.1
"""Of the words of questions, beside those of answers: the generator reads such words too."""

POOL = 4
"""Times as many lessons are drawn as a step takes; those that are most alike in length go together."""

MAX_LESSONS = 400_000


class Student(nn.Module):
    """What this stage trains: of the towers the reasoner, and the vision encoder."""

    def __init__(self, model: OmniModel, sight: Qwen3VLVisionModel) -> None:
        super().__init__()
        self.reasoner, self.sight = model.reasoner, sight


class Lessons:
    """Lessons in memory, by what they show, as shards come in.

    Args:
        workers: processes that write them; 0 is this one.
    """

    def __init__(self, options: Options, writer_folder: Path) -> None:
        self._feed = Feed(options.data, ("still", "clip"))
        self._args = (writer_folder, SHAPES[options.shape].vocabulary)
        self._pool = (
            ProcessPoolExecutor(max(1, options.workers // 3), get_context("spawn"), os.nice, (5,))
            if options.workers
            else None
        )
        self._coming: list[Future[list[Lesson]]] = []
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
        self._coming += [self._pool.submit(lessons_of, path, *self._args) for path in self._feed.take(8)]
        if not self._coming or not self._coming[0].done():
            return False
        self._add(self._coming.pop(0).result())
        return True

    def draw(self, count: int) -> list[Lesson]:
        """Lessons that show alike and are alike in length; from the global random state."""
        groups = [group for group in self.groups.values() if group]
        sizes = torch.tensor([float(len(group)) for group in groups])
        group = groups[int(torch.multinomial(sizes.sqrt(), 1))]
        picked = sorted(
            (group[int(index)] for index in torch.randint(len(group), (count * POOL,))), key=lambda own: len(own.tokens)
        )
        start = int(torch.randint(len(picked) - count + 1, ()))
        return picked[start : start + count]

    def close(self) -> None:
        """End the processes, after what they are at."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

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


def run(options: Options, make: Make = make_episode) -> State:
    """Train it on everything that can be asked about the episodes."""
    folder = tokenizer_folder(options.out)
    write_processors(folder)
    model, sight = fresh_reasoner(options)
    student = Student(model, sight)
    lessons = Lessons(options, folder)
    shares = rendering(options.data, {"still": 0.7, "clip": 0.3}, options.workers, options.shard_size, make)
    try:
        with shares if options.workers else nullcontext():
            fill(lessons.take, options)

            def loss(step: int) -> tuple[Tensor, dict[str, float | Tensor]]:
                lessons.take()
                return lesson_loss(model, sight, lessons.draw(options.batch))

            return train(STAGE, student, loss, options)
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


def lesson_loss(
    model: OmniModel, sight: Qwen3VLVisionModel, lessons: list[Lesson]
) -> tuple[Tensor, dict[str, float | Tensor]]:
    """Cross-entropy of the answers' words, and a little of the questions'; all lessons show alike."""
    device = model.device
    stacked = tuple(_stacked(lessons))
    tokens, positions, lengths = (onto(part, device) for part in stacked)
    x = model.reasoner.embed_tokens(tokens)
    deep: tuple[Tensor, ...] = ()
    grid = lessons[0].grid
    if grid is not None:
        frames = onto(np.stack([_shown(lesson) for lesson in lessons]), device)
        features, seen = look(sight, cut(frames), grid)
        places = onto(np.stack([lesson.places for lesson in lessons]), device)
        index = places[:, :, None].expand(-1, -1, x.shape[-1])
        x = x.scatter(1, index, features.to(x.dtype))
        deep = tuple(torch.zeros_like(x).scatter(1, index, part.to(x.dtype)) for part in seen)
    out, _ = read(model, x, positions, lengths, deep, whole=True)
    # Logits of what is asked for alone: half of a lesson is a picture. Where that is, is known without the device.
    following = stacked[0].ravel()
    at_answer, at_question = places_before(lessons, stacked[0].shape[1])
    wanted = onto(following[at_answer + 1], device)
    out = out.flatten(0, 1)
    answers = model.reasoner.head(out[onto(at_answer, device)]).float()
    loss = cross_entropy(answers, wanted)
    right = (answers.argmax(-1) == wanted).float().mean()
    shown: dict[str, float | Tensor] = {"answers": loss.detach(), "right": right}
    if len(at_question):
        questions = model.reasoner.head(out[onto(at_question, device)]).float()
        loss = loss + QUESTION_WEIGHT * cross_entropy(questions, onto(following[at_question + 1], device))
    return loss, shown


def _shown(lesson: Lesson) -> np.ndarray:
    assert lesson.frames is not None
    return lesson.frames


def _stacked(lessons: list[Lesson]) -> Iterator[np.ndarray]:
    """Tokens int64 [B, U], positions [3, B, U] and lengths, filled up with zeros."""
    longest = max(len(lesson.tokens) for lesson in lessons)
    tokens = np.zeros((len(lessons), longest), np.int64)
    positions = np.zeros((3, len(lessons), longest), np.float32)
    for row, lesson in enumerate(lessons):
        tokens[row, : len(lesson.tokens)] = lesson.tokens
        positions[:, row, : len(lesson.tokens)] = lesson.positions
    yield tokens
    yield positions
    yield np.array([len(lesson.tokens) for lesson in lessons])


def places_before(lessons: list[Lesson], length: int) -> tuple[np.ndarray, np.ndarray]:
    """Indexes into the flattened tokens [B * length] of those that a word of an answer follows, or of a question.

    What stands for a picture is no word.
    """
    answers: list[np.ndarray] = []
    questions: list[np.ndarray] = []
    for row, lesson in enumerate(lessons):
        first = lesson.answer_at - 1
        answers.append(row * length + np.arange(first, len(lesson.tokens) - 1))
        questions.append(row * length + np.setdiff1d(np.arange(first), lesson.places - 1))
    return np.concatenate(answers), np.concatenate(questions)
