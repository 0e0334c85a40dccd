"""A reasoner as a voter: what it is asked, and how its answer is read."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Literal, cast, get_args

from studio.arena.votes import QUESTIONS, Axis, Choice
from studio.captions import UnusableAnswer, object_in, split_thought
from studio.captions.answer_schema import object_schema, text_schema
from studio.evaluation.judge import MAX_REASON, SAMPLING, reason_of
from studio.prompting import ImageUrl, Question, VideoUrl
from studio.prompting.question import asked_alone
from studio.prompting.tasks import VIDEO_FPS
from studio.prompting.templates import fill
from studio.requests import Frozen, shown
from studio.toml_files import shipped

Said = Literal["first", "second", "tie", "bad"]


class Judgement(Frozen):
    """What a reasoner said of a pair, in the order in which it was shown."""

    choices: dict[Axis, Said]
    reason: str


class _Texts(Frozen):
    pair: str
    answers: str


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


def read_judgement(text: str, axes: Sequence[Axis]) -> Judgement:
    """The answer to `pair_question` and `answers_question`. Raises UnusableAnswer."""
    entry, _ = object_in(split_thought(text).answer)
    choices: dict[Axis, Said] = {}
    for axis in axes:
        said = str(entry.get(axis, "")).strip().lower()
        if said not in get_args(Said):
            raise UnusableAnswer(f'"{axis}" is {shown(entry.get(axis))}; expected one of {", ".join(get_args(Said))}.')
        choices[axis] = cast("Said", said)
    return Judgement(choices=choices, reason=reason_of(entry))


def both_ways(one: Judgement, other: Judgement) -> dict[Axis, Choice]:
    """Two judgements of a pair, the second with its sides exchanged, as one in the first's order (first is left).

    Reasoners lean to a side whatever it shows. What they say only from one end is no preference: it counts as a tie.
    """
    exchanged: dict[Said, Said] = {"first": "second", "second": "first", "tie": "tie", "bad": "bad"}
    as_choice: dict[Said, Choice] = {"first": "left", "second": "right", "tie": "tie", "bad": "bad"}
    return {
        axis: as_choice[said] if exchanged[other.choices[axis]] == said else "tie" for axis, said in one.choices.items()
    }


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
