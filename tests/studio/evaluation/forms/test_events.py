"""Temporal localisation: the question, the strict reading, and errors by hand."""

from collections.abc import Callable
from typing import Any

import pytest

from studio.captions import UnusableAnswer
from studio.errors import BadInput
from studio.evaluation import Benchmark
from studio.evaluation.forms.events import EVENTS
from studio.prompting import PlainText, VideoUrl

CUBES = {
    "events": ["grasping the red cube", "releasing the red cube.", "grasping the green cube"],
    "reference": [2.1, 3.5, 5.37],
}
"""Isaac Lab cube stacking, demonstration 0 (cosmos-cookbook, temporal_localization/postprocess.py)."""


@pytest.fixture
def cubes(benchmark_of: Callable[..., Benchmark]) -> Benchmark:
    return benchmark_of("events", CUBES, settings={"fps": 8, "trials": 10, "temperature": 0.6, "max_tokens": 4096})


def test_the_events_are_listed_as_the_recipe_lists_them(cubes: Benchmark):
    question = EVENTS.question(cubes.items[0], cubes, [VideoUrl(url="media:a")], 0)

    assert question.messages[-1].parts[-1] == PlainText(
        text="You should find the following 3 events in the input video\n"
        "Event 1: grasping the red cube.\n"
        "Event 2: releasing the red cube.\n"
        "Event 3: grasping the green cube.\n"
        "Extract the exact timestamps for each event."
    )
    assert question.video_fps == 8
    assert question.answer_schema is None


@pytest.mark.parametrize(
    "times",
    ["<1.5> <2.0>", "<1.5> - <2.0>", "1.5 - 2.0", "1.5s - 2.0s", "<1.5s> <2.0s>", "1.5 s – 2 s", "<1.50> to <2.00>"],
)
def test_both_times_are_read_however_they_are_written(cubes: Benchmark, times: str):
    lines = "\n".join(f"Event {number}: {times} Grasping | its 3 fingers close" for number in (1, 2, 3))

    assert EVENTS.read(cubes.items[0], cubes, f"<answer>\n{lines}\n</answer>") == [[1.5, 2.0]] * 3
    assert EVENTS.read(cubes.items[0], cubes, lines) == [[1.5, 2.0]] * 3


def test_only_the_answer_counts_not_the_thinking(cubes: Benchmark):
    thought = "<think>\nEvent 1: <9> - <9> - Grasping\n</think>\n"
    answer = "<answer>\nEvent 1: <1> <2>\nEvent 2: <2> <3>\nEvent 3: <4> <5> | done\n\n</answer>"

    assert EVENTS.read(cubes.items[0], cubes, thought + answer) == [[1, 2], [2, 3], [4, 5]]
    unwrapped = "Event 1: <9> <9>\n" + answer
    assert EVENTS.read(cubes.items[0], cubes, unwrapped) == [[1, 2], [2, 3], [4, 5]]


def test_events_are_ordered_by_their_number_and_times_may_follow_the_name(cubes: Benchmark):
    text = "2. **Event 2**: grasping 2 cubes <2s> <3s>\n1. **Event 1**: <1> <2>\nEvent 3 - 4.0s - 5.0s grasping"

    assert EVENTS.read(cubes.items[0], cubes, text) == [[1, 2], [2, 3], [4, 5]]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Event 1: <1> <2>\nEvent 2: <2> <3>",
        "Event 1: <1> <2>\nEvent 2: <2> <3>\nEvent 3: <4>",
        "Event 1: <1> <2>\nEvent 2: <2> <3>\nEvent 3: not seen",
        "\n".join(f"Event {number}: <1> <2>" for number in (1, 2, 3, 4)),
        "<answer>nothing</answer>",
        "1.0 - 2.0\n2.0 - 3.0\n3.0 - 4.0",
        "Event 1: <1> <2>\nEvent 1: <2> <3>\nEvent 2: <3> <4>",
        "Event 0: <1> <2>\nEvent 1: <2> <3>\nEvent 2: <3> <4>",
        "Event 1: 1.5 2.0\nEvent 2: 1.5 2.0\nEvent 3: 1.5 2.0",
    ],
)
def test_anything_but_every_event_with_both_times_is_unusable(cubes: Benchmark, text: str):
    with pytest.raises(UnusableAnswer):
        EVENTS.read(cubes.items[0], cubes, text)


def test_the_errors_are_those_worked_out_by_hand(cubes: Benchmark):
    # e = 0.1, 0.3, 0.47; d = 2.1, 1.4, 1.87; 100 e/d = 4.7619, 21.4286, 25.1337; only 0.1 < 4.1/16 = 0.25625
    measured = EVENTS.measure(cubes.items[0], cubes, [(0, 2.0), (2, 3.8), (4, 4.9)]).values

    assert measured["mae_s"] == pytest.approx(0.29)
    assert measured["mre_percent"] == pytest.approx(17.10806, abs=1e-4)
    assert measured["hit_rate"] == pytest.approx(1 / 3)
    assert measured["success"] == 1


def test_the_start_counts_where_it_is_asked_for(benchmark_of: Callable[..., Benchmark]):
    item = {"events": ["a", "b"], "reference": [[1.0, 2.0], [3.0, 4.0]]}
    predicted = [(1.0, 9.0), (3.5, 9.0)]

    starts = benchmark_of("events", item, events={"counted": "start"})
    ends = benchmark_of("events", item)

    assert EVENTS.measure(starts.items[0], starts, predicted).values["mae_s"] == pytest.approx(0.25)
    assert EVENTS.measure(ends.items[0], ends, predicted).values["mae_s"] == pytest.approx(6.0)
    assert EVENTS.measure(ends.items[0], ends, predicted).values["success"] == 0


@pytest.mark.parametrize(
    ("item", "param"),
    [
        ({"events": [], "reference": []}, "events"),
        ({"events": ["a"], "reference": [1, 2, 3]}, "reference"),
        ({"events": ["a", "b"], "reference": [2, 1]}, "reference"),
        ({"events": ["a"], "reference": [0]}, "reference"),
        ({"events": ["a"], "reference": ["1.0"]}, "reference"),
        ({"events": ["a"], "reference": None}, "reference"),
    ],
)
def test_a_truth_that_cannot_be_measured_against_is_refused(
    benchmark_of: Callable[..., Benchmark], item: dict[str, Any], param: str
):
    benchmark = benchmark_of("events", item)

    with pytest.raises(BadInput) as refused:
        EVENTS.check(benchmark.items[0], benchmark)
    assert refused.value.param == param
