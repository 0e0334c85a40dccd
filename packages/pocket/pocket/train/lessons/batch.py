"""Lessons side by side on the device: what a step of the reasoner learns from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from pocket.train.lessons.writing import Lesson
from tuning.passes import onto

MAX_PICTURE_BYTES = 24 * 10**9
"""Of pictures that stay on the device."""


@dataclass(frozen=True)
class LessonBatch:
    """Lessons that show alike, on the device.

    Attributes:
        tokens: int64 [B, U], filled up with zeros.
        positions: float32 [3, B, U].
        lengths: int64 [B].
        before_answer, before_question: bool [B, U], tokens that a word of either follows.
        frames: uint8 [B, T, height, width, 3], where they stand int64 [B, n], and what they show where, int64, see
            `pocket.train.lessons.seeing`; nothing where nothing is shown.
        grid: of what is shown.
    """

    tokens: Tensor
    positions: Tensor
    lengths: Tensor
    before_answer: Tensor
    before_question: Tensor
    frames: tuple[Tensor, ...]
    grid: tuple[int, int, int] | None

    @property
    def posed(self) -> tuple[Tensor, ...]:
        """As `pocket.train.lessons.error.LessonError` takes it."""
        return self.tokens, self.positions, self.lengths, self.before_answer, self.before_question, *self.frames


class PictureTensors:
    """What lessons show, on the device: sent there once for all lessons that share it, and for all steps.

    Args:
        device: where lessons are learnt.
    """

    def __init__(self, device: torch.device) -> None:
        self._device = device
        # The arrays too: as long as they are there, nothing else has their identity.
        self._kept: dict[int, tuple[np.ndarray, Tensor]] = {}
        self._num_bytes = 0

    def stacked(self, lessons: list[Lesson]) -> Tensor:
        """uint8 [B, T, height, width, 3] of lessons that all show something of one size."""
        return torch.stack([self._sent(lesson.frames) for lesson in lessons if lesson.frames is not None])

    def _sent(self, frames: np.ndarray) -> Tensor:
        if id(frames) in self._kept:
            return self._kept[id(frames)][1]
        sent = onto(frames, self._device)
        if self._num_bytes + frames.nbytes < MAX_PICTURE_BYTES:
            self._kept[id(frames)] = frames, sent
            self._num_bytes += frames.nbytes
        return sent


def batched(
    lessons: list[Lesson], device: torch.device, pictures: PictureTensors, *, length_step: int = 1
) -> LessonBatch:
    """Lessons side by side.

    Args:
        length_step: they are filled up to a multiple of so many tokens, so that there are few shapes.
    """
    length = -(-max(len(lesson.tokens) for lesson in lessons) // length_step) * length_step
    parts = [onto(part, device) for part in (*_stacked(lessons, length), *places_before(lessons, length))]
    frames = ()
    if lessons[0].grid is not None:
        squares = np.stack([lesson.squares for lesson in lessons if lesson.squares is not None]).astype(np.int64)
        places = np.stack([lesson.places for lesson in lessons])
        frames = pictures.stacked(lessons), onto(places, device), onto(squares, device)
    return LessonBatch(*parts, frames=frames, grid=lessons[0].grid)


def _stacked(lessons: list[Lesson], length: int) -> Iterator[np.ndarray]:
    """Tokens int64 [B, U], positions [3, B, U] and lengths, filled up with zeros."""
    tokens = np.zeros((len(lessons), length), np.int64)
    positions = np.zeros((3, len(lessons), length), np.float32)
    for row, lesson in enumerate(lessons):
        tokens[row, : len(lesson.tokens)] = lesson.tokens
        positions[:, row, : len(lesson.tokens)] = lesson.positions
    yield tokens
    yield positions
    yield np.array([len(lesson.tokens) for lesson in lessons])


def places_before(lessons: list[Lesson], length: int) -> tuple[np.ndarray, np.ndarray]:
    """Which tokens a word of an answer follows, and which one of a question, bool [B, length] each.

    What stands for a picture is no word.
    """
    answers = np.zeros((len(lessons), length), bool)
    questions = np.zeros_like(answers)
    for row, lesson in enumerate(lessons):
        first = lesson.answer_at - 1
        answers[row, first : len(lesson.tokens) - 1] = True
        questions[row, :first] = True
        questions[row, lesson.places - 1] = False
    return answers, questions
