"""Boxes, points and intervals by hand."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from studio.captions import UnusableAnswer
from studio.errors import BadInput
from studio.evaluation import Benchmark
from studio.evaluation.forms import FORMS
from studio.evaluation.forms.boxes import box_iou

Make = Callable[..., Benchmark]


def measured(benchmark: Benchmark, said: Any) -> dict[str, float]:
    form, item = FORMS[benchmark.form], benchmark.items[0]
    form.check(item, benchmark)
    return form.measure(item, benchmark, form.read(item, benchmark, json.dumps(said))).values


def test_the_iou_of_two_boxes():
    assert box_iou((0, 0, 10, 10), (5, 0, 15, 10)) == pytest.approx(1 / 3)
    assert box_iou((0, 0, 10, 10), (10, 0, 20, 10)) == 0


def test_each_true_box_has_the_box_assigned_to_it(benchmark_of: Make):
    cups = [{"box_2d": [0, 0, 100, 100], "label": "cup"}, {"box_2d": [200, 0, 300, 100], "label": "Cup"}]
    benchmark = benchmark_of("boxes", {"question": "Cups?", "reference": cups})

    # The first is met exactly, the second by half a box: 50 · 100 of 150 · 100. The plate is nobody's cup.
    said = [
        {"bbox_2d": [250, 0, 350, 100], "label": "cup"},
        {"bbox_2d": [0, 0, 100, 100], "label": "cup"},
        {"bbox_2d": [200, 0, 300, 100], "label": "plate"},
    ]

    assert measured(benchmark, said) == {
        "box_iou": pytest.approx((1 + 1 / 3) / 2),
        "box_recall": 0.5,
        "box_extra": 1,
    }
    assert measured(benchmark, []) == {"box_iou": 0, "box_recall": 0, "box_extra": 0}


def test_a_box_without_a_label_fits_any(benchmark_of: Make):
    benchmark = benchmark_of("boxes", {"reference": [{"box_2d": [0, 0, 100, 100]}]})

    assert measured(benchmark, [{"bbox_2d": [0, 0, 100, 100], "label": "the red cup"}])["box_iou"] == 1


def test_where_nothing_is_a_box_is_surplus(benchmark_of: Make):
    benchmark = benchmark_of("boxes", {"reference": []})

    assert measured(benchmark, [{"bbox_2d": [0, 0, 1, 1], "label": "x"}]) == {"box_extra": 1}


def test_points_are_counted_inside_boxes_and_masks(benchmark_of: Make):
    boxed = benchmark_of("points", {"reference": [{"box_2d": [0, 0, 500, 500]}]})
    # 2 × 2 pixels, column by column, outside first: only the lower left one is inside.
    masked = benchmark_of("points", {"reference": {"size": [2, 2], "counts": [1, 1, 2]}})
    said = [{"point_2d": [400, 400]}, {"point_2d": [600, 400]}, {"point_2d": [100, 900]}, {"point_2d": [1000, 1000]}]

    assert measured(boxed, said)["point_inside"] == 0.25
    assert measured(masked, said)["point_inside"] == 0.25
    assert measured(masked, said[2:3])["point_inside"] == 1
    assert measured(boxed, [])["point_inside"] == 0


def test_intervals_overlap_as_worked_out_by_hand(benchmark_of: Make):
    truth = [{"start": 1, "end": 3}, {"start": "00:10.00", "end": "00:12.00"}]
    benchmark = benchmark_of("intervals", {"question": "When?", "reference": truth})

    # 1 to 3 against 2 to 5 shares 1 of 4 s; the second is met exactly.
    said = [{"start": 10, "end": 12, "caption": "b"}, {"start": 2, "end": 5, "caption": "a"}]

    overlap = {"temporal_iou": (0.25 + 1) / 2, "temporal_recall": 0.5}
    # Start and end of the first are off by 1 and 2 s, 1.5 of its 2 s; the second by nothing.
    assert measured(benchmark, said) == overlap | {"mae_s": 0.75, "mre_percent": 37.5}
    assert measured(benchmark, []) == {"temporal_iou": 0, "temporal_recall": 0}


@pytest.mark.parametrize("form", ["boxes", "points", "intervals"])
def test_the_answer_is_constrained_unless_it_begins_with_thinking(benchmark_of: Make, form: str):
    item = {"question": "Where?", "reference": [{"box_2d": [0, 0, 1, 1], "start": 0, "end": 1}]}
    plain, thinking = benchmark_of(form, item), benchmark_of(form, item, settings={"thinking": True})

    assert FORMS[plain.form].question(plain.items[0], plain, [], 0).answer_schema is not None
    asked = FORMS[plain.form].question(thinking.items[0], thinking, [], 0)
    assert asked.answer_schema is None
    assert "<think>" in asked.messages[-1].parts[-1].text  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize("form", ["boxes", "points", "intervals"])
def test_prose_is_unusable(benchmark_of: Make, form: str):
    benchmark = benchmark_of(form, {"reference": []})

    with pytest.raises(UnusableAnswer):
        FORMS[benchmark.form].read(benchmark.items[0], benchmark, "On the left.")


@pytest.mark.parametrize(
    ("form", "reference"),
    [
        ("boxes", "cup"),
        ("boxes", [{"label": "cup"}]),
        ("boxes", [{"box_2d": [0, 0, 5000, 1]}]),
        ("points", []),
        ("points", [{"point_2d": [1, 2]}]),
        ("points", {"size": [2, 2], "counts": [1, 1]}),
        ("points", {"size": [2, 2], "counts": "compressed"}),
        ("intervals", [{"start": 3, "end": 1}]),
        ("intervals", 3),
    ],
)
def test_a_reference_that_cannot_be_read_is_refused(benchmark_of: Make, form: str, reference: Any):
    benchmark = benchmark_of(form, {"question": "x", "reference": reference})

    with pytest.raises(BadInput) as refused:
        FORMS[benchmark.form].check(benchmark.items[0], benchmark)
    assert refused.value.param == "reference"
