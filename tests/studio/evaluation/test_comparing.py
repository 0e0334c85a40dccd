"""What changed between two runs, and the recipes' tables from their published figures."""

from collections.abc import Callable
from typing import Any

import pytest

from studio.errors import BadInput
from studio.evaluation import METRICS, Answer, Benchmark, Counts, Group, Measurement, Scores, compare, draw_up, table

Make = Callable[..., Benchmark]

CHOICES = {"A": "yes", "B": "no"}

MODELS = ("Cosmos Reason 2-2B", "Cosmos Reason 2-8B", "Qwen3-VL-2B", "Qwen3-VL-8B")
PUBLISHED = {
    "Actions & Motion": (71.0, 79.6, 59.4, 79.6),
    "Characters & Interactions": (83.6, 89.5, 82.9, 88.2),
    "Ego Behavior": (76.4, 75.7, 58.8, 72.3),
    "Key Objects": (76.6, 86.1, 63.4, 81.8),
    "Scene Description": (80.1, 81.7, 66.6, 80.2),
    "Spatial Temporal": (57.0, 65.1, 51.9, 58.8),
}
"""Accuracy in percent (NVIDIA and Uber, "Post-train Cosmos Reason 2 for Autonomous Vehicle Video Captioning and VQA",
2.1)."""
PUBLISHED_OVERALL = (74.7, 80.1, 64.1, 77.5)
POOL = {
    "Actions & Motion": 8,
    "Characters & Interactions": 6,
    "Ego Behavior": 7,
    "Key Objects": 10,
    "Scene Description": 13,
    "Spatial Temporal": 6,
}
"""Questions by category (the same, 1.2); 5,050 predictions were made, of 12 questions a video: one required one of each
category, and 6 drawn from the 44 others."""
ASKED = {name: round(5050 / 12 * (1 + 6 * (count - 1) / 44)) for name, count in POOL.items()}


def of_published(make: Make, model: int) -> Scores:
    """The scores of answers of which as many are right as the table says."""
    items: list[dict[str, Any]] = []
    answers: list[Answer] = []
    for name, accuracies in PUBLISHED.items():
        right = round(ASKED[name] * accuracies[model] / 100)
        for number in range(ASKED[name]):
            letter = "A" if number < right else "B"
            answers.append(Answer(item=str(len(items)), text=f"<answer>{letter}</answer>"))
            items.append({"question": "?", "choices": CHOICES, "reference": "A", "category": name})
    return draw_up(make("choice", *items, metrics=["accuracy"]), answers)


def test_the_published_table_is_drawn_from_answers(benchmark_of: Make):
    scores = {model: of_published(benchmark_of, number) for number, model in enumerate(MODELS)}

    drawn = table(scores)

    assert [row.name for row in drawn.rows] == [*PUBLISHED, "Overall"]
    for row in drawn.rows[:-1]:
        shown = [100 * (row.cells[model].measurement.value or 0) for model in MODELS]
        assert shown == pytest.approx(PUBLISHED[row.name], abs=0.08)
    overall = drawn.rows[-1]
    for model, published in zip(MODELS, PUBLISHED_OVERALL, strict=True):
        value = overall.cells[model].measurement.value
        assert value is not None
        assert 100 * value == pytest.approx(published, abs=0.25)
    best = {row.name: [model for model in MODELS if row.cells[model].best] for row in drawn.rows}
    assert best["Actions & Motion"] == ["Cosmos Reason 2-8B", "Qwen3-VL-8B"]
    assert best["Ego Behavior"] == ["Cosmos Reason 2-2B"]
    assert best["Overall"] == ["Cosmos Reason 2-8B"]


def test_a_rate_is_written_in_percent():
    assert METRICS["accuracy"].written(0.8012) == "80.1 %"
    assert METRICS["mre_percent"].written(28.64) == "28.6 %"
    assert METRICS["bleu"].written(0.1249) == "0.125"


def of_fields(**scores: float | None) -> Scores:
    def group(name: str, value: float | None) -> Group:
        metric = "accuracy" if name == "rule_violation" else "judge_score"
        return Group(name=name, counts=Counts(), measurements=(Measurement(metric=metric, value=value),))

    return Scores(
        benchmark="av",
        form="fields",
        headline="judge_score",
        overall=group("", 3.0),
        fields=tuple(group(name, value) for name, value in scores.items()),
    )


def test_field_bars_have_a_row_a_field_with_its_own_metric():
    before = of_fields(weather=4.5, safety_analysis=3.0, rule_violation=0.98, road_type=None)
    after = of_fields(weather=4.6, safety_analysis=3.1, rule_violation=0.95, lane_type=4.0)

    drawn = table({"baseline": before, "tuned": after}, over="fields")

    rows = {row.name: row.cells for row in drawn.rows}
    assert list(rows) == ["weather", "safety_analysis", "rule_violation", "road_type", "lane_type", "Overall"]
    assert rows["weather"]["tuned"].best
    assert rows["rule_violation"]["baseline"].best
    assert rows["rule_violation"]["baseline"].measurement.metric == "accuracy"
    assert not rows["road_type"]["baseline"].best
    assert list(rows["lane_type"]) == ["tuned"]


def test_of_errors_the_smallest_is_best():
    def of(value: float) -> Scores:
        group = Group(counts=Counts(), measurements=(Measurement(metric="mre_percent", value=value),))
        return Scores(benchmark="cube", form="events", headline="mre_percent", overall=group)

    drawn = table({"baseline": of(52.0), "tuned": of(28.6)})

    assert [cell.best for cell in drawn.rows[0].cells.values()] == [False, True]


LOCALISED = {
    "Cube stacking": {"Reason 1 7B": (0.769, 52.0), "Reason 1 7B SFT": (0.434, 28.6), "Qwen3 VL 235B": (0.260, 17.3)},
    "Nut pouring": {"Reason 1 7B": (1.487, 61.3), "Reason 1 7B SFT": (0.506, 17.5), "Qwen3 VL 235B": (0.310, 13.7)},
    "Bridge": {"Reason 1 7B": (0.560, 109.7), "Reason 1 7B SFT": (0.560, 109.7), "Qwen3 VL 235B": (0.158, 26.5)},
    "AgiBot": {"Reason 1 7B": (2.381, 68.45), "Reason 1 7B SFT": (1.571, 43.03), "Qwen3 VL 235B": (1.608, 45.45)},
}
"""Mean absolute error in seconds and mean relative error in percent (NVIDIA, "Cosmos Reason for Mimic Gen temporal
localization", results comparison)."""


def test_the_published_errors_by_task_have_their_best_marked():
    def group(name: str, mae: float, mre: float) -> Group:
        measured = (Measurement(metric="mre_percent", value=mre), Measurement(metric="mae_s", value=mae))
        return Group(name=name, counts=Counts(), measurements=measured)

    models = tuple(LOCALISED["Bridge"])
    scored = {
        model: Scores(
            benchmark="mimicgen",
            form="events",
            headline="mre_percent",
            overall=group("", 1, 1),
            categories=tuple(group(task, *row[model]) for task, row in LOCALISED.items()),
        )
        for model in models
    }

    drawn = table(scored)
    rows = {row.name: row.cells for row in drawn.rows}
    assert {task: [model for model in models if rows[task][model].best] for task in LOCALISED} == {
        "Cube stacking": ["Qwen3 VL 235B"],
        "Nut pouring": ["Qwen3 VL 235B"],
        "Bridge": ["Qwen3 VL 235B"],
        "AgiBot": ["Reason 1 7B SFT"],
    }
    in_seconds = table(scored, "mae_s")
    assert in_seconds.rows[3].cells["Reason 1 7B SFT"].measurement.value == 1.571


def test_the_items_that_changed_most_come_first(benchmark_of: Make):
    benchmark = benchmark_of("number", *[{"question": "?", "reference": 10}] * 4)

    def run(*numbers: int) -> Scores:
        return draw_up(benchmark, [Answer(item=str(at), text=str(number)) for at, number in enumerate(numbers)])

    changes = compare(run(10, 20, 12, 9), run(10, 11, 15, 9))

    assert [(change.item, change.gain) for change in changes] == [("1", 9), ("2", -3)]
    assert changes[0].metric == "absolute_error"


def test_texts_are_compared_by_sentence(benchmark_of: Make):
    benchmark = benchmark_of("text", {"question": "?", "reference": "a red cube"})
    before, after = (draw_up(benchmark, [Answer(item="0", text=text)]) for text in ("a ball", "a red cube"))

    (change,) = compare(before, after)

    assert (change.metric, change.after) == ("sentence_bleu", pytest.approx(1))


def test_only_runs_of_one_benchmark_are_compared(benchmark_of: Make):
    number = draw_up(benchmark_of("number", {"reference": 1}), [])
    choice = draw_up(benchmark_of("choice", {"choices": CHOICES, "reference": "A"}), [])

    with pytest.raises(BadInput, match="two runs of one"):
        compare(number, choice)
    with pytest.raises(BadInput, match="no metric"):
        compare(number, number, "acuracy")
    with pytest.raises(BadInput, match="no scores"):
        table({})
