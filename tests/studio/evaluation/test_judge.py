"""Judges: what they are asked, how they are read, and which of them are trusted."""

import asyncio
import json
from typing import Any

import pytest

from studio.captions import UnusableAnswer
from studio.errors import EngineError
from studio.evaluation import FieldVerdict
from studio.evaluation.judge import (
    ATTEMPTS,
    ask_until_usable,
    calibrate,
    grade_question,
    known_pairs,
    read_grade,
)
from studio.prompting import PlainText, Question


def said(question: Question) -> str:
    last = question.messages[-1].parts[-1]
    assert isinstance(last, PlainText)
    return last.text


def test_a_grade_is_asked_for_with_both_answers_and_a_schema():
    question = grade_question("What?", "a $cube", "the cube")

    assert "<person>\na $cube\n</person>" in said(question)
    assert "<model>\nthe cube\n</model>" in said(question)
    assert question.answer_schema is not None
    assert question.answer_schema["required"] == ["reason", "score"]


@pytest.mark.parametrize(("score", "read"), [(4, 4), ("4", 4), (4.0, 4), ("4/5", 4)])
def test_a_grade_is_read(score: Any, read: int):
    assert read_grade(json.dumps({"reason": "close", "score": score})).score == read


@pytest.mark.parametrize("score", [0, 6, 11, 3.5, True, None, "good"])
def test_a_grade_off_the_scale_is_unusable(score: Any):
    with pytest.raises(UnusableAnswer):
        read_grade(json.dumps({"reason": "", "score": score}))


def test_a_judge_that_talks_is_asked_again_with_another_seed_and_told_why():
    asked: list[Question] = []

    async def ask(question: Question, /) -> str:
        asked.append(question)
        return "I like both." if len(asked) == 1 else '{"reason": "x", "score": 2}'

    assert asyncio.run(ask_until_usable(ask, grade_question("q", "r", "a"), read_grade)).score == 2
    assert len({question.sampling.seed for question in asked}) == 2
    assert "could not be used" in said(asked[1])


def test_a_judge_that_never_answers_is_given_up():
    async def ask(_: Question, /) -> str:
        return "Well."

    with pytest.raises(EngineError, match=f"{ATTEMPTS} attempts"):
        asyncio.run(ask_until_usable(ask, grade_question("q", "r", "a"), read_grade))


def test_the_known_pairs_are_five_of_each():
    assert [pair.same for pair in known_pairs()].count(True) == 5
    assert len({pair.id for pair in known_pairs()}) == 10


def graded(same: int | None, other: int | None) -> list[FieldVerdict]:
    return [FieldVerdict(item=pair.id, judge="ada", score=same if pair.same else other) for pair in known_pairs()]


def test_a_judge_that_tells_the_pairs_apart_is_good():
    assert calibrate("ada", graded(5, 1)).trust == "good"
    assert calibrate("ada", graded(4, 2)).num_right == 10


@pytest.mark.parametrize("score", [1, 3, 5, None])
def test_a_judge_that_always_says_the_same_is_refused(score: int | None):
    found = calibrate("ada", graded(score, score))

    assert found.trust == "refuse"
    assert len(found.wrong) == 10 - found.num_right


def test_a_judge_with_three_mistakes_is_warned_about():
    verdicts = graded(5, 1)
    mistaken = [verdict.model_copy(update={"score": 3}) for verdict in verdicts[:3]]

    found = calibrate("ada", [*mistaken, *verdicts[3:]])

    assert (found.num_right, found.num_pairs, found.trust) == (7, 10, "warn")
    assert found.wrong == tuple(verdict.item for verdict in mistaken)


def test_what_another_judge_said_does_not_count():
    assert calibrate("bob", graded(5, 1)).num_right == 0
