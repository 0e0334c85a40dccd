"""Multiple-choice questions from annotations: a pool, some of it for each video, and truths that two sides agree on.

A language model answers each question from a person's annotation alone, a vision model from the video. Where they agree
that is the truth; where they do not a person corrects it or drops the question (the recipe for Reason 2 on driving,
section 1.2).
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Literal, Self

from pydantic import Field, JsonValue, model_validator

from studio.errors import BadInput
from studio.evaluation.benchmark import Benchmark, Item, Settings
from studio.evaluation.forms import choice
from studio.evaluation.forms.fields import stated
from studio.evaluation.forms.form import form_texts, inside_answer
from studio.evaluation.schema import AnnotationSchema, SchemaField
from studio.prompting.question import PLAIN, MediaPart, Question, asked_alone
from studio.prompting.templates import fill
from studio.requests import Frozen, nearest, shown
from studio.toml_files import shipped

LETTERS = "ABCDEFGH"
SETTINGS = Settings(num_frames=16, max_pixels=360_000, min_pixels=3136)
"""Frames of a video, and pixels of each (the same recipe, its training file)."""

NOT_SAID = "?"

DRIVING = "av"
"""The schema that the recipe's pool asks about."""
PER_VIDEO = 12
"""Questions (the same recipe)."""
ONE_OF_A_FEW = ("enum", "integer", "boolean")
"""Fields whose value is one of those that the schema lists; true stands first of the two of "boolean"."""


class PoolQuestion(Frozen):
    """One question of a pool; the first choice is A.

    Attributes:
        field: of an annotation, whose value is the answer; empty where a reasoner has to read the annotation.
    """

    id: str
    category: str
    question: str
    choices: tuple[str, ...] = Field(min_length=2, max_length=len(LETTERS))
    required: bool = False
    field: str = ""

    @property
    def lettered(self) -> dict[str, str]:
        """The choices by letter."""
        return dict(zip(LETTERS, self.choices, strict=False))


class QuestionPool(Frozen):
    """Questions of which each video is asked the required ones and so many of the others."""

    drawn: int = Field(ge=0)
    questions: tuple[PoolQuestion, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _can_be_drawn(self) -> Self:
        others = sum(not question.required for question in self.questions)
        if self.drawn > others:
            raise ValueError(f"drawn is {self.drawn}, and the pool has {others} questions that are not required")
        names = [question.id for question in self.questions]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"{', '.join(twice)} is there twice; every question needs its own id")
        return self


@cache
def av_pool() -> QuestionPool:
    """The pool for driving: 50 questions in six categories, 6 required and 6 drawn."""
    return shipped(QuestionPool, "evaluation", "av_questions.toml")


def pool_of(schema: AnnotationSchema) -> QuestionPool | None:
    """The questions that annotations of a schema can answer; none where it has no field with two to eight values.

    Of the schema for driving it is the pool of the recipe. Of any other each field that holds one of a few values is a
    question, whose answer stands in the annotation; texts and lists make none, since their wrong choices would be ours.
    """
    if schema.id == DRIVING:
        return av_pool()
    questions = tuple(
        PoolQuestion(id=field.name, category=field.title, question=field.question, choices=choices, field=field.name)
        for field in schema.asked
        if field.type in ONE_OF_A_FEW and 2 <= len(choices := _choices(field)) <= len(LETTERS)
    )
    return QuestionPool(drawn=len(questions), questions=questions) if questions else None


def letter_in(schema: AnnotationSchema, question: PoolQuestion, annotation: Mapping[str, JsonValue]) -> str | None:
    """The letter of the value that an annotation has in the question's field; none where it states none of them."""
    values = next(field.all_values() for field in schema.asked if field.name == question.field)
    value = stated(schema, annotation).get(question.field)
    return LETTERS[values.index(value)] if value in values else None


def _choices(field: SchemaField) -> tuple[str, ...]:
    if field.type == "boolean":
        return ("Yes", "No")
    return tuple(str(value) for value in field.all_values())


def narrowed(pool: QuestionPool, categories: Sequence[str], per_video: int | None = None) -> QuestionPool:
    """The pool of some categories, of which each video is asked so many: the required ones first.

    Args:
        pool: of questions.
        categories: of them; none is all.
        per_video: how many, or none for 12 or as many as there are; where the required ones are more, none is required.

    Raises:
        BadInput: there is no such category, or it has too few questions.
    """
    known = dict.fromkeys(question.category for question in pool.questions)
    if wrong := next((name for name in categories if name not in known), None):
        raise BadInput(f"There is no category {shown(wrong)}.", param="categories", hint=nearest(wrong, known))
    kept = tuple(question for question in pool.questions if not categories or question.category in categories)
    per_video = min(PER_VIDEO, len(kept)) if per_video is None else per_video
    if per_video > len(kept):
        raise BadInput(f"per_video is {per_video}; these categories have {len(kept)} questions.", param="per_video")
    num_required = sum(question.required for question in kept)
    if num_required > per_video:
        kept, num_required = tuple(one.model_copy(update={"required": False}) for one in kept), 0
    return QuestionPool(drawn=per_video - num_required, questions=kept)


def questions_for(pool: QuestionPool, video: str, seed: int = 0) -> tuple[PoolQuestion, ...]:
    """The questions of one video, in the pool's order; the same video and seed have the same ones, whatever the others.

    Args:
        pool: of questions.
        video: its id.
        seed: another one draws others.
    """
    digest = hashlib.sha256(f"{seed}\n{video}".encode()).digest()
    others = [question.id for question in pool.questions if not question.required]
    drawn = set(random.Random(digest).sample(others, pool.drawn))
    return tuple(question for question in pool.questions if question.required or question.id in drawn)


def as_item(question: PoolQuestion, video: str, media: Sequence[str], letter: str = "") -> Item:
    """A question about a video as an item; without a letter it has no truth yet."""
    return Item(
        id=f"{video}/{question.id}",
        media=tuple(media),
        question=question.question,
        choices=question.lettered,
        category=question.category,
        reference=letter or None,
        video=video,
    )


def ask_annotation(question: PoolQuestion, annotation: Mapping[str, JsonValue]) -> Question:
    """A question to a language model that is given the annotation and no video."""
    lines = [f"{letter}. {text}" for letter, text in question.lettered.items()]
    listed = json.dumps(annotation, ensure_ascii=False, indent=1)
    asked = "\n".join([question.question, *lines])
    text = fill(form_texts().choice_from_annotation, annotation=listed, question=asked)
    sampling = PLAIN.model_copy(update={"temperature": 0.0, "presence_penalty": 0.0, "max_tokens": 1024})
    return Question(messages=asked_alone(text), sampling=sampling)


def ask_video(question: PoolQuestion, video: str, media: Sequence[MediaPart]) -> Question:
    """The same question to a vision model that is given the video and no annotation."""
    item = as_item(question, video, ())
    return choice.question(item, _benchmark_of([item]), media, 0)


def read_letter(question: PoolQuestion, text: str) -> str | None:
    """The letter of either answer; none where it says that the annotation supports none.

    Raises:
        UnusableAnswer: it names no single letter.
    """
    item = as_item(question, "video", ())
    if inside_answer(text) == NOT_SAID:
        return None
    return choice.read(item, _benchmark_of([item]), text)


Settled = Literal["agreed", "contradiction", "not_annotated"]


class PoolTruth(Frozen):
    """What is known of the answer to a question about a video.

    Attributes:
        video, question: ids.
        from_annotation, from_video: letters; none where there is no answer.
        by_person: what a person decided: a letter, or `drop` for a question that is ambiguous.
    """

    video: str
    question: str
    from_annotation: str | None = None
    from_video: str | None = None
    by_person: str | None = None

    @property
    def state(self) -> Settled:
        """Whether both sides agree; a person looks at contradictions."""
        if self.from_annotation is None or self.from_video is None:
            return "not_annotated"
        return "agreed" if self.from_annotation == self.from_video else "contradiction"

    @property
    def letter(self) -> str | None:
        """The truth: what a person decided, else what both sides say; none where the question is left out."""
        if self.by_person is not None:
            return None if self.by_person == "drop" else self.by_person
        return self.from_video if self.state == "agreed" else None


def build(
    pool: QuestionPool, media: Mapping[str, Sequence[str]], truths: Iterable[PoolTruth], name: str = "av-vqa"
) -> Benchmark:
    """The benchmark of all questions whose answer is known.

    Args:
        pool: of questions.
        media: of each video, by its id.
        truths: in any order.
        name: of the benchmark.

    Raises:
        BadInput: a truth is of a video or question that is not there, or of a letter that the question does not have,
            or no answer is known.
    """
    by_id = {question.id: question for question in pool.questions}
    known: dict[tuple[str, str], str] = {}
    for truth in truths:
        question = by_id.get(truth.question)
        if question is None or truth.video not in media:
            raise BadInput(
                f"There is an answer to {shown(truth.question)} about {shown(truth.video)}, which the pool or the "
                "videos do not have.",
                param="truths",
            )
        if truth.letter is not None and truth.letter not in question.lettered:
            raise BadInput(
                f"The answer to {truth.question} about {truth.video} is {shown(truth.letter)}; expected one of "
                f"{', '.join(question.lettered)}.",
                param="truths",
            )
        if truth.letter is not None:
            known[truth.video, truth.question] = truth.letter
    items = [
        as_item(question, video, media[video], known[video, question.id])
        for video in media
        for question in pool.questions
        if (video, question.id) in known
    ]
    if not items:
        raise BadInput("No answer is known; expected at least one question that both sides agree on.", param="truths")
    return _benchmark_of(items, name)


def _benchmark_of(items: Sequence[Item], name: str = "pool") -> Benchmark:
    return Benchmark(name=name, form="choice", settings=SETTINGS, items=tuple(items))
