"""Lessons side by side on the device: what a step of the reasoner learns from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from pocket.train.lessons import Lesson
from pocket.train.passes import onto

MAX_PICTURE_BYTES = 24 * 10**9
"""Of pictures that stay on the device."""


@dataclass(frozen=True)
class LessonBatch:
    """Lessons that show alike, on the device.

    Attributes:
        tokens: int64 [B, U], filled up with zeros.
        positions: float32 [3, B, U].
        lengths: int64 [B].
        frames: uint8 [B, T, height, width, 3] and where they stand int64 [B, n]; none where nothing is shown.
        grid: of what is shown.
        answers, questions: indexes into the flattened tokens of those that a word of either follows, and that word.
    """

    tokens: Tensor
    positions: Tensor
    lengths: Tensor
    frames: tuple[Tensor, Tensor] | None
    grid: tuple[int, int, int] | None
    answers: tuple[Tensor, Tensor]
    questions: tuple[Tensor, Tensor]


class Pictures:
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


def batched(lessons: list[Lesson], device: torch.device, pictures: Pictures) -> LessonBatch:
    """Lessons side by side."""
    stacked = tuple(_stacked(lessons))
    following = stacked[0].ravel()
    tokens, positions, lengths = (onto(part, device) for part in stacked)
    # Logits of what is asked for alone: half of a lesson is a picture. Where that is, is known without the device.
    answers, questions = (
        (onto(places, device), onto(following[places + 1], device))
        for places in places_before(lessons, stacked[0].shape[1])
    )
    frames = None
    if lessons[0].grid is not None:
        frames = pictures.stacked(lessons), onto(np.stack([lesson.places for lesson in lessons]), device)
    return LessonBatch(tokens, positions, lengths, frames, lessons[0].grid, answers, questions)


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
        is_word = np.ones(len(lesson.tokens), bool)
        is_word[lesson.places - 1] = False
        questions.append(row * length + is_word[:first].nonzero()[0])
    return np.concatenate(answers), np.concatenate(questions)
