"""A reasoner as a voter and as a grader: what it is asked, and how its answer is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Literal, cast, get_args

from pydantic import Field

from studio.arena.votes import QUESTIONS, Axis, Choice
from studio.captions import UnusableAnswer, object_in, sendable, split_thought
from studio.captions.answer_schema import object_schema, text_schema
from studio.errors import EngineError
from studio.prompting import PLAIN, Ask, ImageUrl, Question, VideoUrl
from studio.prompting.question import Read, asked_alone, first_usable
from studio.prompting.tasks import VIDEO_FPS
from studio.prompting.templates import fill
from studio.requests import Frozen, shown
from studio.toml_files import shipped

Said = Literal["first", "second", "tie", "bad"]

MAX_REASON = 600
"""Characters of a reason, in the schema."""
MAX_TOKENS = 1024
ATTEMPTS = 3

SAMPLING = PLAIN.model_copy(update={"max_tokens": MAX_TOKENS})


class Judgement(Frozen):
    """What a reasoner said of a pair, in the order in which it was shown."""

    choices: dict[Axis, Said]
    reason: str


class Grade(Frozen):
    """How far an answer says what a person's does: 1, nothing in common, to 5, the same."""

    score: int = Field(ge=1, le=5)
    reason: str


class _Texts(Frozen):
    pair: str
    answers: str
    grade: str
    retry: str


@cache
def _texts() -> _Texts:
    return shipped(_Texts, "arena", "judging.toml")


def pair_question(
    prompt: str, axes: Sequence[Axis], first: ImageUrl | VideoUrl, second: ImageUrl | VideoUrl
) -> Question:
    """Which of two pictures or clips is better, on each axis."""
    thing = "picture" if isinstance(first, ImageUrl) else "clip"
    text = fill(
        _texts().pair,
        things=f"{thing}s",
        thing=thing,
        **{"from": "from one prompt"},
        prompt=prompt,
        **_asked(axes),
    )
    return _question(text, _schema(axes), first, second)


def answers_question(
    prompt: str, axes: Sequence[Axis], first: str, second: str, *media: ImageUrl | VideoUrl
) -> Question:
    """Which of two answers is better, on each axis; `media` are what the question was about."""
    about = " about what is shown above" if media else ""
    text = fill(_texts().answers, about=about, prompt=prompt, first=first, second=second, **_asked(axes))
    return _question(text, _schema(axes), *media)


def grade_question(prompt: str, reference: str, answer: str) -> Question:
    """How far an answer says what a person's says. What was asked about need not be seen for it."""
    text = fill(_texts().grade, prompt=prompt, reference=reference, answer=answer)
    score = {"type": "integer", "enum": [1, 2, 3, 4, 5]}
    return _question(text, object_schema(reason=text_schema(MAX_REASON), score=score))


def read_judgement(text: str, axes: Sequence[Axis]) -> Judgement:
    """The answer to `pair_question` and `answers_question`. Raises UnusableAnswer."""
    entry, _ = object_in(split_thought(text).answer)
    choices: dict[Axis, Said] = {}
    for axis in axes:
        said = str(entry.get(axis, "")).strip().lower()
        if said not in get_args(Said):
            raise UnusableAnswer(f'"{axis}" is {shown(entry.get(axis))}; expected one of {", ".join(get_args(Said))}.')
        choices[axis] = cast("Said", said)
    return Judgement(choices=choices, reason=_reason(entry))


def read_grade(text: str) -> Grade:
    """The answer to `grade_question`. Raises UnusableAnswer."""
    entry, _ = object_in(split_thought(text).answer)
    score = entry.get("score")
    plain = str(score).strip().removesuffix(".0").removesuffix("/5")
    if isinstance(score, bool) or plain not in ("1", "2", "3", "4", "5"):
        raise UnusableAnswer(f'"score" is {shown(score)}; expected a whole number from 1 to 5.')
    return Grade(score=int(plain), reason=_reason(entry))


def both_ways(one: Judgement, other: Judgement) -> dict[Axis, Choice]:
    """Two judgements of a pair, the second with its sides exchanged, as one in the first's order (first is left).

    Reasoners lean to a side whatever it shows. What they say only from one end is no preference: it counts as a tie.
    """
    exchanged: dict[Said, Said] = {"first": "second", "second": "first", "tie": "tie", "bad": "bad"}
    as_choice: dict[Said, Choice] = {"first": "left", "second": "right", "tie": "tie", "bad": "bad"}
    return {
        axis: as_choice[said] if exchanged[other.choices[axis]] == said else "tie" for axis, said in one.choices.items()
    }


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


def _asked(axes: Sequence[Axis]) -> dict[str, str]:
    keywords = ", ".join(f'"{axis}"' for axis in axes)
    return {"questions": "\n".join(f'- "{axis}": {QUESTIONS[axis]}' for axis in axes), "keywords": keywords}


def _schema(axes: Sequence[Axis]) -> dict[str, Any]:
    said = {"type": "string", "enum": list(get_args(Said))}
    return object_schema(reason=text_schema(MAX_REASON), **dict.fromkeys(axes, said))


def _question(text: str, schema: dict[str, Any], *media: ImageUrl | VideoUrl) -> Question:
    return Question(
        messages=asked_alone(text, *media),
        sampling=SAMPLING,
        answer_schema=schema,
        video_fps=VIDEO_FPS if any(isinstance(part, VideoUrl) for part in media) else None,
    )


def _reason(entry: Mapping[str, Any]) -> str:
    return sendable(str(entry.get("reason", "")).strip()[:MAX_REASON])
