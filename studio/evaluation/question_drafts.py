"""Multiple-choice questions on their way from the annotations of a run to a benchmark."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from studio.evaluation.questions import PoolTruth, Settled
from studio.jobs import Failure
from studio.library import Title
from studio.requests import Frozen

MAX_DRAFTS = 5000
"""Of one run; a video has 12 by default."""


class DraftQuestions(Frozen):
    """`POST /v1/runs/{id}/questions`.

    Attributes:
        reasoner: answers from the annotation alone; none is the default checkpoint.
        video_reasoner: answers from the video; none is the same.
        per_video: questions about each video; none is 12, or all where there are fewer.
        categories: of the questions; none is all.
        seed: another one draws others.
    """

    reasoner: str | None = None
    video_reasoner: str | None = None
    per_video: int | None = Field(default=None, ge=1, le=50)
    categories: tuple[str, ...] = ()
    seed: int = Field(default=0, ge=0)


class QuestionDraft(PoolTruth):
    """A question of a run, and what is known of its answer.

    Attributes:
        asked: whether both sides have been asked.
        drawn_by: the last call that drew questions of the run.
    """

    asked: bool = False
    drawn_by: DraftQuestions | None = None


class DraftedQuestion(Frozen):
    """A draft with its words.

    Attributes:
        video: the item of the run that it is about.
        media: ids of the video.
        state: whether both sides agree.
        letter: the answer that counts; none where the question is left out.
    """

    video: str
    question: str
    media: tuple[str, ...]
    category: str
    text: str
    choices: dict[str, str]
    asked: bool
    from_annotation: str | None
    from_video: str | None
    by_person: str | None
    state: Settled
    letter: str | None


class QuestionDrafts(Frozen):
    """`GET /v1/runs/{id}/questions`.

    Attributes:
        categories: that the pool has.
        questions: in the order of videos, then of the pool.
        drawn_by: the last call that drew them; the same again continues it.
        is_running: whether a reasoner is asked now.
        error: why the last one left off.
    """

    categories: tuple[str, ...]
    questions: tuple[DraftedQuestion, ...]
    drawn_by: DraftQuestions | None = None
    is_running: bool = False
    error: Failure | None = None


class DecideQuestion(Frozen):
    """`PATCH /v1/runs/{id}/questions`: a letter, `drop` to remove the question, or null for what both sides say."""

    video: str
    question: str
    by_person: Annotated[str, Field(pattern="^([A-H]|drop)$")] | None


class SaveQuestions(Frozen):
    """`POST /v1/runs/{id}/questions/benchmark`: a benchmark of the questions whose answer is known."""

    name: str
    title: Title = ""
