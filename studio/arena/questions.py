"""The same question asked of several reasoners: their answers, and grades against a person's."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, Field

from studio.jobs import Failure
from studio.requests import Frozen
from studio.requests.fields import BoundedText, MediaId

MAX_REASONERS = 16
MAX_QUESTIONS = 64
MAX_QUESTIONS_PAGE = 200
MAX_ANSWER_TOKENS = 8192


def _says_something(text: str) -> str:
    if not text.strip():
        raise ValueError("the question is empty; write at least one word")
    return text.strip()


QuestionText = Annotated[BoundedText, AfterValidator(_says_something)]
ReasonerNames = Annotated[tuple[str, ...], Field(min_length=1, max_length=MAX_REASONERS)]


class PutQuestion(Frozen):
    """One question.

    Attributes:
        text: what is asked.
        media: a picture or clip of the library that it is about.
        reference: a person's answer, which grades hold the others against.
    """

    text: QuestionText
    media: MediaId | None = None
    reference: BoundedText = ""


class PutQuestions(Frozen):
    """`POST /v1/arena/questions`: write questions down for some reasoners; nobody is asked yet."""

    questions: Annotated[tuple[PutQuestion, ...], Field(min_length=1, max_length=MAX_QUESTIONS)]
    reasoners: ReasonerNames
    max_tokens: Annotated[int, Field(ge=1, le=MAX_ANSWER_TOKENS)] = 1024
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0


class GradedBy(Frozen):
    """A judge's grade of an answer."""

    judge: str
    score: int
    reason: str


class ReasonerAnswer(Frozen):
    """What one reasoner said.

    Attributes:
        reasoner: who.
        text: the answer; none while it is not there.
        thought: what was thought before it.
        seconds: that it took.
        error: why there is none.
        grades: of judges.
    """

    id: str
    reasoner: str
    text: str | None = None
    thought: str = ""
    seconds: float | None = None
    error: Failure | None = None
    grades: tuple[GradedBy, ...] = ()


class AskedQuestion(Frozen):
    """A question and its answers, in the order in which the reasoners were named."""

    id: str
    text: str
    media: str | None
    reference: str
    created_at: datetime
    answers: tuple[ReasonerAnswer, ...]


class QuestionList(Frozen):
    """`GET /v1/arena/questions`, newest first, and the mean grade of each reasoner over all questions."""

    questions: tuple[AskedQuestion, ...]
    grades: tuple[MeanGrade, ...] = ()


class MeanGrade(Frozen):
    """A reasoner's grades by one judge.

    Attributes:
        mean: 1 to 5.
        low, high: its 95 % interval.
    """

    reasoner: str
    judge: str
    num_answers: int
    mean: float
    low: float
    high: float


class GradeAnswers(Frozen):
    """`POST /v1/arena/questions/{id}/grades`: let a judge grade the answers that it has not graded."""

    judge: str


QuestionList.model_rebuild()
