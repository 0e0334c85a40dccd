"""What was answered, and what a judge said of it: what a run stores, and scores are drawn from."""

from __future__ import annotations

from pydantic import Field

from studio.jobs import Failure
from studio.requests import Frozen


class Answer(Frozen):
    """One answer to one item.

    Attributes:
        item: its id.
        trial: counted from 0.
        text: the whole answer, thinking included.
        error: why there is none.
        seconds: that it took.
        tokens: of the answer.
    """

    item: str
    trial: int = Field(default=0, ge=0)
    text: str = ""
    error: Failure | None = None
    seconds: float | None = Field(default=None, ge=0)
    tokens: int | None = Field(default=None, ge=0)


class FieldVerdict(Frozen):
    """What a judge said of an answer, or of one field of it.

    Attributes:
        item, trial: of the answer.
        field: of an annotation; empty where the answer is one text.
        judge: who.
        score: 1, nothing in common with the truth, to 5, the same; none where the judge gave no usable score.
        why: the judge's reason, or why there is no score.
    """

    item: str
    trial: int = Field(default=0, ge=0)
    field: str = ""
    judge: str
    score: int | None = Field(default=None, ge=1, le=5)
    why: str = ""
