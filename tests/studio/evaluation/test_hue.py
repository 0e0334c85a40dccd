"""Cosmos-HUE: raters, shares and intervals by hand, and the bank of questions."""

import json
import math
from typing import Any

import pytest

from studio.captions import UnusableAnswer
from studio.errors import BadInput
from studio.evaluation.hue import HueQuestion, HueRating, HueVideo, Said, decided, rater_agreement, score_model
from studio.evaluation.hue_bank import (
    ReasonerRating,
    audit_question,
    dimensions_of,
    domain_question,
    rating_question,
    read_bank,
    read_domain,
    read_rating,
    read_scene,
    scene_question,
)
from studio.prompting import ImageUrl, PlainText, Question, VideoUrl

QUESTIONS = [
    HueQuestion(id="p-1", prompt="p", text="Is the cube red?", dimension="semantic_alignment"),
    HueQuestion(id="p-2", prompt="p", text="Does the cube fall?", dimension="physical_laws"),
    HueQuestion(id="q-1", prompt="q", text="Does the car turn?", dimension="semantic_alignment"),
]
VIDEOS = [
    HueVideo(id="a", prompt="p", domain="robotics", model="nano"),
    HueVideo(id="b", prompt="q", domain="av", model="nano"),
    HueVideo(id="c", prompt="q", domain="av", model="super"),
]


def ratings(video: str, question: str, *said: Said) -> list[HueRating]:
    return [
        HueRating(video=video, question=question, rater=rater, said=one)
        for rater, one in zip(("ada", "bob", "cem"), said, strict=False)
    ]


@pytest.mark.parametrize(
    ("said", "comes_to"),
    [
        ([], None),
        (["yes"], None),
        (["yes", "yes"], "yes"),
        (["no", "yes"], None),
        (["no", "yes", "yes"], "yes"),
        (["no", "yes", "unclear"], "unclear"),
    ],
)
def test_two_raters_decide_or_a_third_does(said: list[Said], comes_to: Said | None):
    assert decided(ratings("a", "p-1", *said)) == comes_to


def test_the_share_of_yes_is_over_all_questions_and_unclear_counts_as_no():
    given = [
        *ratings("a", "p-1", "yes", "yes"),
        *ratings("a", "p-2", "yes", "no", "unclear"),
        *ratings("b", "q-1", "yes", "yes"),
        *ratings("c", "q-1", "no", "no"),
    ]

    scores = score_model("nano", VIDEOS, QUESTIONS, given)

    assert scores.overall.value == pytest.approx(2 / 3)
    assert scores.overall.n == 3
    half = 1.96 * math.sqrt(2 / 3 * 1 / 3 / 3)
    assert scores.overall.low == pytest.approx(2 / 3 - half)
    assert scores.overall.high == 1
    assert scores.videos["a"].value == 0.5
    assert scores.dimensions["semantic_alignment"].value == 1
    assert scores.dimensions["physical_laws"].value == 0
    assert scores.domains["robotics"].value == 0.5
    assert scores.agreement.share == pytest.approx(2 / 3)
    assert scores.undecided == 0
    assert score_model("super", VIDEOS, QUESTIONS, given).overall.value == 0


def test_the_interval_of_ten_thousand_answers_is_that_of_the_report():
    # "around ± 0.6 points for top-tier scores" of 89.3 (appendix F)
    questions = [HueQuestion(id=str(n), prompt="p", text="?", dimension="physical_laws") for n in range(10_000)]
    given = [
        rating
        for number in range(10_000)
        for rating in ratings("a", str(number), *(["yes", "yes"] if number < 8930 else ["no", "no"]))
    ]

    overall = score_model("nano", VIDEOS[:1], questions, given).overall

    assert overall.value == 0.893
    assert overall.high is not None
    assert 100 * (overall.high - overall.value) == pytest.approx(0.606, abs=1e-3)


def test_what_is_not_decided_does_not_count():
    scores = score_model("nano", VIDEOS, QUESTIONS, ratings("a", "p-1", "yes", "no"))

    assert scores.overall.value is None
    assert scores.undecided == 3
    assert scores.agreement.share == 0


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (ratings("a", "q-1", "yes"), "is not asked about the video a"),
        (ratings("a", "p-1", "yes") + ratings("a", "p-1", "no"), "ada has answered .* twice"),
    ],
)
def test_a_rating_that_cannot_be_is_refused(wrong: list[HueRating], why: str):
    with pytest.raises(BadInput, match=why):
        score_model("nano", VIDEOS, QUESTIONS, wrong)


def test_people_and_a_reasoner_are_compared_where_both_have_answered():
    people = [*ratings("a", "p-1", "yes", "yes"), *ratings("a", "p-2", "no", "no"), *ratings("b", "q-1", "no", "yes")]
    reasoner = [*ratings("a", "p-1", "yes"), *ratings("a", "p-2", "yes"), *ratings("b", "q-1", "yes")]

    found = rater_agreement(people, reasoner)

    assert (found.share, found.n) == (0.5, 2)
    assert rater_agreement([], reasoner).share is None


def words(question: Question) -> str:
    last = question.messages[-1].parts[-1]
    assert isinstance(last, PlainText)
    return last.text


def test_the_bank_is_written_in_three_steps():
    domain = read_domain('{"reason": "An arm.", "domain": "robotics"}')
    scene = read_scene(
        json.dumps({"objects": ["a red cube"], "actions": ["falls"], "setting": [], "camera": [], "text": [3]})
    )
    asked = audit_question("A red cube falls", domain, scene, 2)
    bank = read_bank(
        json.dumps(
            {
                "questions": [
                    {"dimension": "semantic_alignment", "text": "Is the cube  red?"},
                    {"dimension": "semantic_alignment", "text": "is the cube red?"},
                    {"dimension": "beauty", "text": "Is it nice?"},
                    {"dimension": "physical_laws", "text": "Does it speed up?"},
                ]
            }
        ),
        "p",
    )

    assert "A red cube falls" in words(domain_question("A red cube falls"))
    assert scene == {"objects": ("a red cube",), "actions": ("falls",), "setting": (), "camera": (), "text": ()}
    assert '"robotics"' in words(asked)
    assert "a red cube" in words(asked)
    assert asked.answer_schema is not None
    assert asked.answer_schema["properties"]["questions"]["maxItems"] == 2
    assert [(question.id, question.text) for question in bank] == [
        ("p-1", "Is the cube red?"),
        ("p-2", "Does it speed up?"),
    ]
    assert dimensions_of(bank)["semantic_alignment"] == 1


def test_the_scene_is_read_from_the_real_video_where_there_is_one():
    shown = scene_question("A cube", ImageUrl(url="media:a"), VideoUrl(url="media:b"))

    assert "Above" in words(shown)
    assert shown.video_fps == 4
    assert "Above" not in words(scene_question("A cube"))


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (read_domain, '{"domain": "cooking"}'),
        (read_scene, '{"objects": "a cube"}'),
        (read_scene, '{"objects": [], "actions": [], "setting": [], "camera": [], "text": []}'),
        (lambda text: read_bank(text, "p"), '{"questions": [{"text": "Is it nice?"}]}'),
        (lambda text: read_bank(text, "p"), '{"questions": "none"}'),
        (read_rating, '{"said": "maybe"}'),
        (read_rating, "Yes."),
    ],
)
def test_answers_off_the_form_are_unusable(read: Any, text: str):
    with pytest.raises(UnusableAnswer):
        read(text)


def test_a_reasoner_rates_with_one_word():
    asked = rating_question(QUESTIONS[0], VideoUrl(url="media:a"))

    assert "Is the cube red?" in words(asked)
    assert read_rating('{"reason": "It is.", "said": "Yes"}') == ReasonerRating(said="yes", reason="It is.")
