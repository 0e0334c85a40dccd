"""Scores from answers: what counts, what is missed, and what is only counted."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from studio.errors import BadInput, ServerUnreachable
from studio.evaluation import Answer, Benchmark, FieldVerdict, Group, Scores, draw_up, load_schema
from studio.evaluation.statistics import wilson
from studio.jobs import Failure

Make = Callable[..., Benchmark]

CHOICES = {"A": "yes", "B": "no"}
LOST = Failure.of(ServerUnreachable("Nobody answers."))


def questions(make: Make, *categories: str, **fields: Any) -> Benchmark:
    items = [
        {"question": "?", "choices": CHOICES, "reference": "A", "category": category, "media": [f"{number // 2}.mp4"]}
        for number, category in enumerate(categories)
    ]
    return make("choice", *items, **fields)


def said(*texts: str) -> list[Answer]:
    return [Answer(item=str(number), text=text) for number, text in enumerate(texts)]


def category(scores: Scores, name: str) -> Group:
    return next(group for group in scores.categories if group.name == name)


def test_accuracy_is_right_over_asked_and_parseable_stands_apart(benchmark_of: Make):
    benchmark = questions(benchmark_of, "road", "road", "people", "people", "people")
    answers = [*said("A", "B", "A", "dunno"), Answer(item="4", error=LOST)]

    scores = draw_up(benchmark, answers)

    accuracy = scores.overall.measurements[0]
    assert (accuracy.metric, accuracy.value, accuracy.n) == ("accuracy", 0.4, 5)
    assert (accuracy.low, accuracy.high) == wilson(0.4, 5)
    assert scores.overall.value("parseable") == 0.75
    assert scores.overall.counts.model_dump(exclude_defaults=True) == {
        "planned": 5,
        "asked": 5,
        "answered": 4,
        "unparsed": 1,
        "failed": 1,
    }
    assert category(scores, "road").value("accuracy") == 0.5
    assert category(scores, "people").value("accuracy") == pytest.approx(1 / 3)
    assert [one.state for one in scores.marks] == ["read", "read", "read", "unparsed", "failed"]
    assert scores.marks[4].why == "Nobody answers."


def test_per_video_accuracy_is_averaged_over_videos(benchmark_of: Make):
    benchmark = questions(benchmark_of, "", "", "", "", "")  # of three videos: two, two and one question

    scores = draw_up(benchmark, said("A", "B", "A", "A", "B"))

    found = next(one for one in scores.overall.measurements if one.metric == "video_accuracy")
    assert found.value == pytest.approx((0.5 + 1 + 0) / 3)
    assert found.sd == pytest.approx(np.std([0.5, 1, 0]))
    assert found.n == 3
    assert scores.categories == ()


def test_a_category_without_answers_is_there_and_empty(benchmark_of: Make):
    scores = draw_up(questions(benchmark_of, "road", "people"), said("A"))

    empty = category(scores, "people")
    assert empty.value("accuracy") is None
    assert (empty.counts.asked, empty.counts.unanswered) == (0, 1)
    assert scores.overall.value("accuracy") == 1


def test_no_answers_at_all_give_no_numbers(benchmark_of: Make):
    scores = draw_up(questions(benchmark_of, "road"), [])

    assert all(one.value is None for one in scores.overall.measurements)
    assert scores.overall.counts.unanswered == 1


def test_of_two_answers_to_one_item_the_first_that_did_not_fail_counts(benchmark_of: Make):
    benchmark = questions(benchmark_of, "road", "road")
    answers = [
        Answer(item="0", error=LOST),
        Answer(item="0", text="A"),
        Answer(item="0", text="B"),
        Answer(item="1", text="B"),
    ]

    scores = draw_up(benchmark, answers)

    assert scores.overall.value("accuracy") == 0.5
    assert scores.overall.counts.repeated == 2
    assert scores.overall.counts.asked == 2


def test_answers_that_belong_nowhere_are_refused(benchmark_of: Make):
    benchmark = questions(benchmark_of, "road")

    with pytest.raises(BadInput, match="the item 'other'"):
        draw_up(benchmark, [Answer(item="other", text="A")])
    with pytest.raises(BadInput, match="trial 1"):
        draw_up(benchmark, [Answer(item="0", trial=1, text="A")])


def test_the_order_of_answers_does_not_matter(benchmark_of: Make):
    benchmark = questions(benchmark_of, *["road", "people"] * 10)
    answers = said(*["A", "B", "C", "A"] * 5)

    assert draw_up(benchmark, answers) == draw_up(benchmark, answers[::-1])


def test_only_the_metrics_that_are_asked_for_are_drawn_up(benchmark_of: Make):
    scores = draw_up(questions(benchmark_of, "road", metrics=["parseable"]), said("A"))

    assert [one.metric for one in scores.overall.measurements] == ["parseable"]


def test_event_errors_are_averaged_over_trials_with_their_spread(benchmark_of: Make):
    benchmark = benchmark_of(
        "events",
        {"events": ["a", "b"], "reference": [1, 3], "category": "cube"},
        {"events": ["a"], "reference": [2], "category": "nut"},
        settings={"trials": 3, "fps": 8},
    )
    answers = [
        # Cube: trial 0 is off by 0.5 of 1 and 0 of 2 s, trial 1 is exact, trial 2 has one event only.
        Answer(item="0", trial=0, text="Event 1: <0> <1.5>\nEvent 2: <2> <3>"),
        Answer(item="0", trial=1, text="Event 1: <0> <1>\nEvent 2: <2> <3>"),
        Answer(item="0", trial=2, text="Event 1: <0> <1>"),
        Answer(item="1", trial=0, text="Event 1: <0> <3>"),
        Answer(item="1", trial=1, text="Event 1: <0> <3>"),
        Answer(item="1", trial=2, text="Event 1: <0> <3>"),
    ]

    scores = draw_up(benchmark, answers)

    cube, nut = scores.categories
    assert cube.value("mae_s") == pytest.approx((0.25 + 0) / 2)
    assert cube.value("mre_percent") == pytest.approx((25 + 0) / 2)
    # A hit is nearer than 0.256 s: one of two events, two of two, and none of the trial that could not be read.
    assert cube.value("hit_rate") == pytest.approx((0.5 + 1 + 0) / 3)
    assert cube.value("success") == pytest.approx(2 / 3)
    assert cube.counts.unparsed == 1
    assert next(one.sd for one in cube.measurements if one.metric == "mae_s") == pytest.approx(0.125)
    assert nut.value("mre_percent") == 50
    assert scores.overall.value("mae_s") == pytest.approx((0.125 + 1) / 2)
    # Trial 0: (0.25 + 1) / 2; trial 1: (0 + 1) / 2; trial 2: 1.
    spread = next(one.sd for one in scores.overall.measurements if one.metric == "mae_s")
    assert spread == pytest.approx(np.std([0.625, 0.5, 1]))


def test_texts_are_compared_by_bleu_until_a_judge_has_scored_them(benchmark_of: Make):
    truth = "the cat is on the mat"
    benchmark = benchmark_of("text", *[{"question": "Where?", "reference": truth}] * 3)
    answers = [*said(truth, "the cat sat on the mat"), Answer(item="2", error=LOST)]

    plain = draw_up(benchmark, answers)
    verdicts = [
        FieldVerdict(item="0", judge="ada", score=5),
        FieldVerdict(item="1", judge="ada", why="The judge answered with prose."),
    ]
    judged = draw_up(benchmark, answers, verdicts)

    assert plain.headline == "bleu"
    bleu = next(one for one in plain.overall.measurements if one.metric == "bleu")
    assert bleu.value is not None
    assert bleu.low is not None
    assert bleu.high is not None
    assert bleu.low < bleu.value < bleu.high
    assert plain.overall.counts.unjudged == 2
    assert judged.headline == "judge_score"
    assert judged.judge == "ada"
    assert judged.overall.value("judge_score") == 5
    assert judged.overall.counts.unjudged == 1
    assert judged.overall.value("bleu") == bleu.value


def test_an_unreadable_answer_misses_only_what_there_is(benchmark_of: Make):
    cup = {"box_2d": [0, 0, 100, 100], "label": "cup"}
    benchmark = benchmark_of("boxes", {"question": "?", "reference": [cup]}, {"question": "?", "reference": []})

    scores = draw_up(benchmark, said("On the left.", "Nothing."))

    iou = next(one for one in scores.overall.measurements if one.metric == "box_iou")
    assert (iou.value, iou.n) == (0, 1)


def test_of_several_judges_one_has_to_be_named(benchmark_of: Make):
    benchmark = benchmark_of("text", {"question": "Where?", "reference": "here"})
    verdicts = [FieldVerdict(item="0", judge="ada", score=5), FieldVerdict(item="0", judge="bob", score=1)]

    with pytest.raises(BadInput, match="2 judges"):
        draw_up(benchmark, said("here"), verdicts)
    assert draw_up(benchmark, said("here"), verdicts, judge="bob").overall.value("judge_score") == 1


def test_fields_have_the_majority_beside_them_and_count_what_is_missing(benchmark_of: Make):
    labels = [
        {"rule_violation": "False", "road_type": "Highway", "weather": "Overcast"},
        {"rule_violation": "False", "road_type": "Alley"},
        {"rule_violation": "True", "road_type": "Highway"},
    ]
    benchmark = benchmark_of(
        "fields", *[{"reference": label} for label in labels], annotation=load_schema("av").model_dump()
    )
    answers = [
        *said(json.dumps({"rule_violation": False, "road_type": "Motorway", "weather": "Overcast"})),
        Answer(item="1", text=json.dumps({"rule_violation": False})),
        Answer(item="2", text="No idea."),
    ]
    verdicts = [FieldVerdict(item="0", field="road_type", judge="ada", score=4)]

    scores = draw_up(benchmark, answers, verdicts)

    fields = {group.name: group for group in scores.fields}
    violation = fields["rule_violation"].measurements[0]
    assert violation.value == pytest.approx(2 / 3)
    assert violation.baseline == pytest.approx(2 / 3)
    assert fields["road_type"].value("judge_score") == 4
    assert fields["road_type"].counts.no_field == 1
    assert fields["weather"].value("accuracy") == 1
    assert fields["weather"].counts.no_reference == 1
    assert fields["weather"].counts.unparsed == 1
    assert fields["safety_analysis"].measurements[0].value is None
    assert scores.overall.value("accuracy") == pytest.approx((1 + 1 + 0) / 3)
