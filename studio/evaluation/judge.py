"""A reasoner as a grader: what it is asked, how its answer is read, and how far it can be trusted.

Before a judge counts it grades ten pairs whose grade is known: five that say the same in other words, and five of
which one is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Literal

from pydantic import Field

from studio.captions import UnusableAnswer, object_in, sendable, split_thought
from studio.captions.answer_schema import object_schema, text_schema
from studio.errors import EngineError
from studio.evaluation.answers import FieldVerdict
from studio.prompting.question import PLAIN, Ask, Question, Read, asked_alone, first_usable
from studio.prompting.templates import fill
from studio.requests import Frozen, shown
from studio.toml_files import shipped

MAX_REASON = 600
"""Characters of a reason, in the schema."""
MAX_TOKENS = 1024
ATTEMPTS = 3

SAMPLING = PLAIN.model_copy(update={"max_tokens": MAX_TOKENS})


class Grade(Frozen):
    """How far an answer says what a person's does: 1, nothing in common, to 5, the same."""

    score: int = Field(ge=1, le=5)
    reason: str


class _GradingTexts(Frozen):
    grade: str
    retry: str


@cache
def _texts() -> _GradingTexts:
    return shipped(_GradingTexts, "evaluation", "judging.toml")


def grade_question(prompt: str, reference: str, answer: str) -> Question:
    """How far an answer says what a person's says. What was asked about need not be seen for it."""
    text = fill(_texts().grade, prompt=prompt, reference=reference, answer=answer)
    score = {"type": "integer", "enum": [1, 2, 3, 4, 5]}
    schema = object_schema(reason=text_schema(MAX_REASON), score=score)
    return Question(messages=asked_alone(text), sampling=SAMPLING, answer_schema=schema)


def read_grade(text: str) -> Grade:
    """The answer to `grade_question`. Raises UnusableAnswer."""
    entry, _ = object_in(split_thought(text).answer)
    score = entry.get("score")
    plain = str(score).strip().removesuffix(".0").removesuffix("/5")
    if isinstance(score, bool) or plain not in ("1", "2", "3", "4", "5"):
        raise UnusableAnswer(f'"score" is {shown(score)}; expected a whole number from 1 to 5.')
    return Grade(score=int(plain), reason=reason_of(entry))


def reason_of(entry: Mapping[str, Any]) -> str:
    """A judge's reason, cut to what the schema allows."""
    return sendable(str(entry.get("reason", "")).strip()[:MAX_REASON])


async def ask_until_usable(ask: Ask, question: Question, read: Callable[[str], Read]) -> Read:
    """An answer that can be read, after at most `ATTEMPTS`.

    Raises:
        EngineError: none could, and why the last could not.
        StudioError: whatever `ask` raises.
    """
    try:
        return (await first_usable(ask, question, read, attempts=ATTEMPTS, retry=_texts().retry)).said
    except UnusableAnswer as error:
        raise EngineError(
            f"The judge gave no usable answer in {ATTEMPTS} attempts: {error.why}",
            param="judge",
            hint="Use another judge.",
        ) from None


class KnownPair(Frozen):
    """Two answers to one question, and whether they say the same."""

    id: str
    question: str
    reference: str
    answer: str
    same: bool

    def is_right(self, score: int | None) -> bool:
        """Whether a grade tells them apart: 4 or 5 of the same, 1 or 2 of another; 2 already counts as wrong."""
        return score is not None and (score >= SAME_FROM if self.same else score <= DIFFERENT_UP_TO)


class _KnownPairs(Frozen):
    pairs: tuple[KnownPair, ...]


SAME_FROM, DIFFERENT_UP_TO = 4, 2

GOOD_FROM, WARN_FROM = 9, 7
"""Of ten pairs. A judge that draws its grade at random is right in four of ten; in nine or more once in 600 times, in
seven or more once in 18. One that always says 5 is right in five."""

Trust = Literal["good", "warn", "refuse"]


class Calibration(Frozen):
    """How a judge graded the known pairs.

    Attributes:
        judge: who.
        num_right: pairs that it told apart.
        num_pairs: all of them.
        trust: "good", "warn" where its scores are shown with a warning, "refuse" where they are not used.
        wrong: ids of the pairs that it got wrong or gave no usable score.
    """

    judge: str
    num_right: int
    num_pairs: int
    trust: Trust
    wrong: tuple[str, ...] = ()


@cache
def known_pairs() -> tuple[KnownPair, ...]:
    """The ten pairs of `presets/evaluation/calibration.toml`."""
    return shipped(_KnownPairs, "evaluation", "calibration.toml").pairs


def calibrate(judge: str, verdicts: Sequence[FieldVerdict]) -> Calibration:
    """What a judge's grades of the known pairs say of it.

    Args:
        judge: whose verdicts count.
        verdicts: `item` is a pair's id. A pair without one counts as wrong.
    """
    scores = {verdict.item: verdict.score for verdict in verdicts if verdict.judge == judge}
    pairs = known_pairs()
    wrong = tuple(pair.id for pair in pairs if not pair.is_right(scores.get(pair.id)))
    num_right = len(pairs) - len(wrong)
    trust: Trust = "good" if num_right >= GOOD_FROM else "warn" if num_right >= WARN_FROM else "refuse"
    return Calibration(judge=judge, num_right=num_right, num_pairs=len(pairs), trust=trust, wrong=wrong)
