"""What every form of question has in common: pure functions from an item to a question, a reading and its measures."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from pydantic import JsonValue

from studio.captions import UnusableAnswer, split_thought
from studio.evaluation.benchmark import Benchmark, Item, Settings
from studio.prompting.question import PLAIN, SYSTEM, THINKING, MediaPart, Question, ReasonerSampling, VideoUrl, said
from studio.prompting.tasks import THINK_FIRST, VIDEO_FPS
from studio.requests import MAX_SEED, Frozen
from studio.toml_files import shipped


class ForJudge(NamedTuple):
    """Two texts that a judge compares.

    Attributes:
        field: of an annotation; empty where the answer is one text.
        question: what was asked.
        reference: the truth.
        answer: what the model said.
    """

    field: str
    question: str
    reference: str
    answer: str


@dataclass(frozen=True)
class Measured:
    """What an answer is worth.

    Attributes:
        values: by metric.
        fields: by field of an annotation, then by metric; a field without a value is missing in truth or answer.
        judged: what a judge has to compare.
        series: by metric its parts.
    """

    values: dict[str, float]
    fields: dict[str, dict[str, float]] = field(default_factory=dict[str, dict[str, float]])
    judged: tuple[ForJudge, ...] = ()
    series: dict[str, tuple[float, ...]] = field(default_factory=dict[str, tuple[float, ...]])


@dataclass(frozen=True)
class AnswerForm:
    """A row of `FORMS`.

    Attributes:
        metrics: names in `studio.evaluation.metrics.METRICS`; the first is what models are compared by.
        check: raises BadInput, with the field as its `param`, where an item has not what the form needs.
        question: what the reasoner is asked, of `(item, benchmark, media, trial)`.
        read: what its answer says, of `(item, benchmark, text)`, as a JSON value. Raises UnusableAnswer.
        measure: that against the truth, of `(item, benchmark, reading)`.
    """

    metrics: tuple[str, ...]
    check: Callable[[Item, Benchmark], None]
    question: Callable[[Item, Benchmark, Sequence[MediaPart], int], Question]
    read: Callable[[Item, Benchmark, str], JsonValue]
    measure: Callable[[Item, Benchmark, Any], Measured]


class FormTexts(Frozen):
    """`presets/evaluation/forms.toml`: what is said beside an item's own words."""

    choice: str
    choice_from_annotation: str
    number: str
    events: str
    events_question: str


@cache
def form_texts() -> FormTexts:
    """The shipped texts."""
    return shipped(FormTexts, "evaluation", "forms.toml")


def put(
    benchmark: Benchmark,
    text: str,
    media: Sequence[MediaPart],
    trial: int,
    *,
    system: str = SYSTEM,
    schema: dict[str, Any] | None = None,
) -> Question:
    """A question of a benchmark.

    Args:
        benchmark: its system prompt wins over the form's, and its settings say how tokens are drawn.
        text: what is asked, behind the media.
        media: pictures and clips, in order.
        trial: counted from 0.
        system: the form's own system prompt.
        schema: that the answer is constrained to, unless it begins with thinking.
    """
    settings = benchmark.settings
    words = f"{text.strip()}\n\n{THINK_FIRST}" if settings.thinking else text.strip()
    has_clip = any(isinstance(part, VideoUrl) for part in media)
    own_fps = VIDEO_FPS if settings.num_frames is None else None
    return Question(
        messages=(said("system", benchmark.system or system.strip()), said("user", words, *media)),
        sampling=sampling_for(settings, trial),
        answer_schema=None if settings.thinking else schema,
        video_fps=(settings.fps or own_fps) if has_clip else None,
        num_video_frames=settings.num_frames if has_clip else None,
    )


def sampling_for(settings: Settings, trial: int) -> ReasonerSampling:
    """How the tokens of a trial are drawn: without penalties, which would move coordinates and times."""
    drawn = THINKING if settings.thinking else PLAIN
    changes = {
        "temperature": settings.temperature,
        "presence_penalty": 0.0,
        "seed": (settings.seed + trial) % (MAX_SEED + 1),
        "max_tokens": settings.max_tokens,
    }
    return drawn.model_copy(update=changes)


def spoken(text: str) -> str:
    """An answer without its thinking.

    Raises:
        UnusableAnswer: nothing follows the thinking.
    """
    answer = split_thought(text).answer
    if not answer:
        raise UnusableAnswer("The answer is empty.")
    return answer


_OPENING = re.compile("<answer>", re.IGNORECASE)
_CLOSING = re.compile("</answer>", re.IGNORECASE)


def inside_answer(text: str) -> str:
    """What stands in the last `<answer>`, or the whole text without one; either tag may be lost."""
    before = _CLOSING.split(text)
    closed = before[-2] if len(before) > 1 else text
    return _OPENING.split(closed)[-1].strip()


def finite(value: object) -> float | None:
    """A JSON number as a float; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)
