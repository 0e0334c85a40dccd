"""The builder of multiple-choice questions: the pool, what each video is asked, and truths that two sides agree on."""

from collections import Counter

import pytest
from pydantic import ValidationError

from studio.captions import UnusableAnswer
from studio.errors import BadInput
from studio.evaluation.forms import check
from studio.evaluation.questions import (
    PoolQuestion,
    PoolTruth,
    QuestionPool,
    ask_annotation,
    ask_video,
    av_pool,
    build,
    questions_for,
    read_letter,
)
from studio.prompting import PlainText, Question, VideoUrl


def words(question: Question) -> str:
    last = question.messages[-1].parts[-1]
    assert isinstance(last, PlainText)
    return last.text


def test_the_pool_has_the_recipes_categories_with_one_required_of_each():
    pool = av_pool()

    assert Counter(question.category for question in pool.questions) == {
        "Scene Description": 13,
        "Key Objects": 10,
        "Actions & Motion": 8,
        "Ego Vehicle Behavior": 7,
        "Characters & Interactions": 6,
        "Spatial & Temporal": 6,
    }
    assert all(len(set(question.choices)) == 4 for question in pool.questions)
    assert Counter(question.category for question in pool.questions if question.required).total() == 6
    assert len({question.category for question in pool.questions if question.required}) == 6


def test_a_video_is_asked_twelve_always_the_same():
    pool = av_pool()

    asked = questions_for(pool, "drive 1")

    assert len(asked) == len(set(asked)) == 12
    assert sum(question.required for question in asked) == 6
    assert asked == questions_for(pool, "drive 1")
    assert asked != questions_for(pool, "drive 2")
    assert asked != questions_for(pool, "drive 1", seed=1)


def test_over_many_videos_every_question_is_drawn_about_equally_often():
    drawn = Counter(question.id for video in range(440) for question in questions_for(av_pool(), str(video)))

    others = [drawn[question.id] for question in av_pool().questions if not question.required]
    # 6 of 44 of 440 videos are 60, with a standard deviation of 7.2.
    assert min(others) > 30
    assert max(others) < 90


def test_both_sides_are_asked_the_same():
    weather = next(question for question in av_pool().questions if question.id == "weather")

    from_annotation = ask_annotation(weather, {"weather": "Heavy rain"})
    from_video = ask_video(weather, "drive 1", [VideoUrl(url="media:a")])

    assert '"weather": "Heavy rain"' in words(from_annotation)
    for question in (from_annotation, from_video):
        assert "What is the weather?\nA. Clear or partly cloudy\nB." in words(question)
    assert read_letter(weather, "<answer>C</answer>") == "C"
    assert read_letter(weather, "<answer>?</answer>") is None
    with pytest.raises(UnusableAnswer):
        read_letter(weather, "Rain.")


@pytest.mark.parametrize(
    ("truth", "state", "letter"),
    [
        ({"from_annotation": "A", "from_video": "A"}, "agreed", "A"),
        ({"from_annotation": "A", "from_video": "B"}, "contradiction", None),
        ({"from_annotation": "A", "from_video": "B", "by_person": "B"}, "contradiction", "B"),
        ({"from_annotation": "A", "from_video": "A", "by_person": "drop"}, "agreed", None),
        ({"from_video": "A"}, "not_annotated", None),
        ({"from_video": "A", "by_person": "C"}, "not_annotated", "C"),
    ],
)
def test_agreement_or_a_person_makes_a_truth(truth: dict[str, str], state: str, letter: str | None):
    made = PoolTruth.model_validate({"video": "1", "question": "weather", **truth})

    assert (made.state, made.letter) == (state, letter)


def test_the_benchmark_has_the_questions_whose_answer_is_known():
    agreed = [
        PoolTruth(video="1", question=question.id, from_annotation="A", from_video="A")
        for question in questions_for(av_pool(), "1")
    ]
    open_one = agreed[0].model_copy(update={"from_video": "B"})

    benchmark = build(av_pool(), {"1": ["clips/1.mp4"], "2": ["clips/2.mp4"]}, [open_one, *agreed[1:]])

    check(benchmark)
    assert len(benchmark.items) == 11
    assert {item.video for item in benchmark.items} == {"1"}
    assert benchmark.items[0].media == ("clips/1.mp4",)
    assert benchmark.settings.num_frames == 16


@pytest.mark.parametrize(
    ("truth", "why"),
    [
        (PoolTruth(video="9", question="weather"), "do not have"),
        (PoolTruth(video="1", question="wether"), "do not have"),
        (PoolTruth(video="1", question="weather", by_person="E"), "expected one of A, B, C, D"),
        (PoolTruth(video="1", question="weather"), "No answer is known"),
    ],
)
def test_truths_that_cannot_be_are_refused(truth: PoolTruth, why: str):
    with pytest.raises(BadInput, match=why):
        build(av_pool(), {"1": ["1.mp4"]}, [truth])


def test_a_pool_that_cannot_be_drawn_from_is_refused():
    one = PoolQuestion(id="a", category="c", question="?", choices=("yes", "no"))

    with pytest.raises(ValidationError, match="drawn is 2"):
        QuestionPool(drawn=2, questions=(one,))
    with pytest.raises(ValidationError, match="a is there twice"):
        QuestionPool(drawn=1, questions=(one, one))
