"""What an exam is: questions with right answers, and marks that anybody's answers get from one and the same code.

How sure a figure is: Wilson's interval of a rate, the bootstrap's of a mean.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

import numpy as np

from pocket.report.candidate import Candidate, Pixels
from pocket.world.episode import View
from robot.recording.reader import success_interval

NUM_RESAMPLES = 2000

Kind = Literal["rate", "mean", "median"]


def estimate(values: Sequence[float], kind: Kind) -> float:
    """The figure that samples come to; not a number where there are none."""
    if not values:
        return float("nan")
    return float(np.median(values) if kind == "median" else np.mean(values))


def interval(values: Sequence[float], kind: Kind) -> tuple[float, float]:
    """95 % of a figure: Wilson's of a rate (samples are 0 or 1), else percentiles of resampled figures.

    7 of 10 are 0.40 to 0.89. The resampling is always the same, so that the same samples give the same interval.
    """
    if not values:
        return float("nan"), float("nan")
    if kind == "rate":
        return success_interval(round(sum(values)), len(values))
    samples = np.asarray(values, np.float64)
    drawn = np.random.default_rng(0).integers(len(samples), size=(NUM_RESAMPLES, len(samples)))
    figures = (np.median if kind == "median" else np.mean)(samples[drawn], axis=1)
    low, high = np.percentile(figures, (2.5, 97.5))
    return float(low), float(high)


Task = TypeVar("Task")
Answer = TypeVar("Answer")

Marks = Mapping[str, float]
"""By the figure's name; a figure that a question does not bear on is left out."""


@dataclass(frozen=True)
class Shown:
    """What a person may look at of an answer.

    Attributes:
        pictures: uint8 [height, width, 3] each, from left to right.
        words: the question and the answer, a line each.
    """

    pictures: tuple[Pixels, ...]
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Figure:
    """One line of the card.

    Attributes:
        name: for programs.
        title: for people, with the unit.
        kind: "rate" of marks that are 0 or 1; "mean" or "median" of others.
        higher: whether more is better.
        digits: behind the point; of a rate in percent none.
        bar: what the pocket is to reach; none where nobody asked for a value.
        has_chance: whether there is such a thing as getting it right by chance.
    """

    name: str
    title: str
    kind: Kind = "rate"
    higher: bool = True
    digits: int = 2
    bar: float | None = None
    has_chance: bool = True


class Exam(ABC, Generic[Task, Answer]):
    """One exam.

    The right answer goes through the same marks as the candidate's: that is the ceiling. So does what knows nothing of
    the question: that is chance.

    Attributes:
        name: for programs.
        figures: what it measures.
        ceiling_is, chance_is: what stands in for a candidate there, in words; empty for nothing.
        num_beside: questions at most that ceiling and chance are measured on; none is all.
        view: of the scenes that it looks at, which are rendered before; none where it looks at none.
        max_scenes: that many at most, however many questions there are.
        alone: it takes the time, so nothing else may run beside it.
    """

    name: str
    figures: tuple[Figure, ...]
    ceiling_is: str
    chance_is: str
    num_beside: int | None = None
    view: View | None = None
    max_scenes: int | None = None
    alone: bool = False

    @abstractmethod
    def tasks(self, count: int, seed: int) -> Sequence[Task]:
        """So many questions, the same for the same seed."""

    @abstractmethod
    def ask(self, candidate: Candidate, task: Task) -> Answer:
        """The candidate's answer."""

    @abstractmethod
    def truth(self, task: Task) -> Answer:
        """The right one."""

    @abstractmethod
    def ignorant(self, task: Task, other: Task) -> Answer:
        """That of what does not know the question: as a rule the right one to another question."""

    def idle(self, task: Task) -> Answer | None:
        """That of what does nothing at all, where that is another thing than chance."""
        return None

    def show(self, task: Task, answer: Answer) -> Shown | None:
        """What is kept of an answer for people; none where there is nothing to look at."""
        return None

    @abstractmethod
    def mark(self, task: Task, answer: Answer) -> Marks:
        """What an answer is worth."""
