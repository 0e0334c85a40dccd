"""Reasoners as judges: what they are asked, how they are read, and how little an order of sides may matter."""

import pytest

from studio.arena.judging import (
    Judgement,
    answers_question,
    both_ways,
    pair_question,
    read_judgement,
)
from studio.captions import UnusableAnswer
from studio.prompting import ImageUrl, PlainText, Question, VideoUrl

AXES = ("prompt", "overall")


def said(question: Question) -> str:
    last = question.messages[-1].parts[-1]
    assert isinstance(last, PlainText)
    return last.text


def test_a_pair_is_asked_about_with_its_media_first_and_a_schema():
    question = pair_question("a $cube", AXES, ImageUrl(url="media:a"), ImageUrl(url="media:b"))

    assert [part.type for part in question.messages[-1].parts] == ["image", "image", "text"]
    assert "a $cube" in said(question)
    assert question.answer_schema is not None
    assert question.answer_schema["required"] == ["reason", "prompt", "overall"]
    assert question.video_fps is None
    clips = pair_question("x", AXES, VideoUrl(url="media:a"), VideoUrl(url="media:b"))
    assert clips.video_fps == 4


def test_answers_are_judged_as_text():
    asked = answers_question("What?", ("correct", "overall"), "one", "two", ImageUrl(url="media:a"))

    assert "<first_answer>\none\n</first_answer>" in said(asked)


def test_an_answer_is_read_with_its_thinking_and_its_fence():
    text = '<think>hm</think>```json\n{"reason": "sharper", "prompt": "First", "overall": "bad"}\n```'

    assert read_judgement(text, AXES) == Judgement(choices={"prompt": "first", "overall": "bad"}, reason="sharper")


@pytest.mark.parametrize("text", ["The first.", '{"prompt": "first"}', '{"prompt": "left", "overall": "tie"}', "{", ""])
def test_what_does_not_answer_every_axis_is_unusable(text: str):
    with pytest.raises(UnusableAnswer):
        read_judgement(text, AXES)


def test_what_is_said_from_one_end_only_is_a_tie():
    first = Judgement(choices={"prompt": "first", "physics": "first", "geometry": "bad", "overall": "tie"}, reason="")
    other = Judgement(
        choices={"prompt": "second", "physics": "first", "geometry": "bad", "overall": "second"}, reason=""
    )

    assert both_ways(first, other) == {"prompt": "left", "physics": "tie", "geometry": "bad", "overall": "tie"}
