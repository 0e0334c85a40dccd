"""Who asks: this process, or several of them with the checkpoint each, one thread each.

A step of a model of this size is not twice as fast with two threads (a chunk 0.65 s and 0.40 s), and drawing and
reading off pixels have one thread anyhow: two processes with a thread each do more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from pocket.report.candidate import Candidate, Effort, Pixels
from pocket.report.exam import Exam, Marks, Shown
from pocket.world import Episode, make_episode
from pocket.world.episode import View

SHOWN_PX = 192
"""Sides of what is kept to be looked at."""


@dataclass(frozen=True)
class ExamQuestion:
    """One question of an exam.

    Attributes:
        other: another one, which what knows nothing has in its hands; none where nobody stands beside the candidate.
        shows: whether the answer is to be looked at.
    """

    exam: Exam[Any, Any]
    task: Any
    other: Any = None
    shows: bool = False


@dataclass(frozen=True)
class Answered:
    """Marks of one question.

    Attributes:
        marks: by who answered: "candidate", and "ceiling", "chance" and "idle" where they stood beside.
    """

    marks: dict[str, Marks]
    shown: Shown | None = None


class Examiners:
    """Of one checkpoint; a context, whose processes end with it and begin when they are first needed.

    Args:
        candidate: in this process.
        num: processes; of one there is none but this.
    """

    def __init__(self, candidate: Candidate, folder: Path, num: int) -> None:
        assert num >= 1
        self.candidate = candidate
        self._folder = folder
        self._num = num
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Examiners:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def render(self, view: View, numbers: Sequence[int]) -> Iterator[Episode]:
        """Episodes, in their order. Raises NotInstalled where nothing can be drawn."""
        items: list[tuple[View, int]] = [(view, number) for number in numbers]
        return self._started().map(_render, items) if self._share(items) else map(_render, items)

    def ask(self, questions: Sequence[ExamQuestion], *, alone: bool) -> Iterator[Answered]:
        """Answers, in the order of their questions.

        Args:
            alone: here, with nothing beside it.

        Raises:
            NotAllowed: the checkpoint cannot do it.
        """
        if self._share(questions) and not alone:
            return self._started().map(_examine_there, questions)
        return (_examine(self.candidate, question) for question in questions)

    def _share(self, items: Sequence[object]) -> bool:
        return self._num > 1 and len(items) > 1

    def _started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            told = (self._folder, self.candidate.effort, self.candidate.answers_after_s)
            self._pool = ProcessPoolExecutor(self._num, get_context("spawn"), _sit_down, told)
        return self._pool


_THERE: list[Candidate] = []
"""The candidate of a process that was started to ask it."""


def _sit_down(folder: Path, effort: Effort, answers_after_s: float) -> None:
    cv2.setNumThreads(1)
    candidate = Candidate(folder, effort, num_threads=1)
    candidate.answers_after_s = answers_after_s
    _THERE.append(candidate)


def _render(wanted: tuple[View, int]) -> Episode:
    return make_episode(*wanted)


def _examine_there(question: ExamQuestion) -> Answered:
    return _examine(_THERE[0], question)


def _examine(candidate: Candidate, question: ExamQuestion) -> Answered:
    exam, task = question.exam, question.task
    answer = exam.ask(candidate, task)
    marks = {"candidate": exam.mark(task, answer)}
    if question.other is not None:
        marks |= beside(exam, task, question.other)
    shown = exam.show(task, answer) if question.shows else None
    return Answered(marks, None if shown is None else replace(shown, pictures=tuple(map(_small, shown.pictures))))


def beside(exam: Exam[Any, Any], task: Any, other: Any) -> dict[str, Marks]:
    """Marks of the right answer ("ceiling"), of what knows nothing ("chance") and of what does nothing ("idle")."""
    marks = {"ceiling": exam.mark(task, exam.truth(task)), "chance": exam.mark(task, exam.ignorant(task, other))}
    still = exam.idle(task)
    return marks if still is None else marks | {"idle": exam.mark(task, still)}


def _small(picture: Pixels) -> Pixels:
    scale = SHOWN_PX / max(picture.shape[:2])
    size = (round(picture.shape[1] * scale), round(picture.shape[0] * scale))
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)
