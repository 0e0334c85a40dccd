"""Annotations by field: what is asked, read, right, wrong and missing."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from studio.captions import UnusableAnswer
from studio.errors import BadInput
from studio.evaluation import Benchmark, load_schema
from studio.evaluation.forms.fields import FIELDS
from studio.prompting import PlainText

LABEL: dict[str, Any] = {
    "weather": "Light rain",
    "lighting": "Daytime (low\u2011contrast daylight)",
    "road_conditions": "Wet surface with puddles",
    "additional_traffic_rules": None,
    "interactive_expanded_metaaction": ["Yield to VRUs", "Vehicle following"],
    "driving_difficulty": 3,
    "rule_violation": "False",
    "interesting_scenario": "True",
    "critical_object": [{"box_time": 2}],
}
"""Of the form of the cookbook's example of a human annotation."""

SAID: dict[str, Any] = {
    "weather": "light rain.",
    "lighting": "Daytime (low-contrast daylight)",
    "road_conditions": "Wet",
    "additional_traffic_rules": "A school zone.",
    "interactive_expanded_metaaction": ["Vehicle following", "Yield to VRUs"],
    "driving_difficulty": "2",
    "rule_violation": False,
}


@pytest.fixture
def av(benchmark_of: Callable[..., Benchmark]) -> Benchmark:
    return benchmark_of("fields", {"media": ["a.mp4"], "reference": LABEL}, annotation=load_schema("av").model_dump())


def test_the_schema_is_asked_for_and_bound(av: Benchmark):
    question = FIELDS.question(av.items[0], av, [], 0)

    text = question.messages[-1].parts[-1]
    assert isinstance(text, PlainText)
    assert '- "driving_difficulty": ' in text.text
    assert "critical_object" not in text.text
    assert question.answer_schema is not None
    assert len(question.answer_schema["properties"]) == 15
    assert question.answer_schema["properties"]["weather"]["enum"][-1] == "N/A"
    assert question.answer_schema["properties"]["additional_map_rules"]["anyOf"][1] == {"type": "null"}


def test_what_is_right_is_right_however_it_is_spelt(av: Benchmark):
    FIELDS.check(av.items[0], av)
    reading = FIELDS.read(av.items[0], av, f"```json\n{json.dumps(SAID)}\n```")

    measured = FIELDS.measure(av.items[0], av, reading)

    assert measured.fields == {
        "weather": {"accuracy": 1},
        "lighting": {"accuracy": 1},
        "interactive_expanded_metaaction": {"accuracy": 1},
        "driving_difficulty": {"accuracy": 0},
        "rule_violation": {"accuracy": 1},
    }
    assert measured.values == {"accuracy": 0.8}


def test_only_texts_that_both_state_are_judged(av: Benchmark):
    reading = FIELDS.read(av.items[0], av, json.dumps(SAID))

    (pair,) = FIELDS.measure(av.items[0], av, reading).judged

    assert (pair.field, pair.reference, pair.answer) == ("road_conditions", "Wet surface with puddles", "Wet")


def test_null_says_of_a_list_that_none_applies(av: Benchmark):
    item = av.items[0].model_copy(update={"reference": {"interactive_expanded_metaaction": None}})

    none = FIELDS.read(item, av, '{"interactive_expanded_metaaction": null}')
    one = FIELDS.read(item, av, '{"interactive_expanded_metaaction": "Vehicle following"}')

    assert FIELDS.measure(item, av, none).values == {"accuracy": 1}
    assert FIELDS.measure(item, av, one).values == {"accuracy": 0}


def test_a_value_outside_the_enum_is_wrong_not_missing(av: Benchmark):
    reading = FIELDS.read(av.items[0], av, '{"weather": "Hail", "rule_violation": "perhaps"}')

    assert FIELDS.measure(av.items[0], av, reading).values == {"accuracy": 0}


def test_an_answer_without_any_field_has_nothing_to_score(av: Benchmark):
    assert FIELDS.measure(av.items[0], av, FIELDS.read(av.items[0], av, '{"other": 1}')).values == {}


@pytest.mark.parametrize("text", ["Rainy.", "", json.dumps({"safety_analysis": "It drives on and on. " * 40})])
def test_prose_and_repetition_are_unusable(av: Benchmark, text: str):
    with pytest.raises(UnusableAnswer):
        FIELDS.read(av.items[0], av, text)


@pytest.mark.parametrize(
    ("reference", "param"),
    [
        ("Light rain", "reference"),
        ({}, "reference"),
        ({"wether": "Light rain"}, "reference"),
        ({"weather": "Hail"}, "reference.weather"),
        ({"driving_difficulty": 5}, "reference.driving_difficulty"),
        ({"rule_violation": "perhaps"}, "reference.rule_violation"),
        ({"interactive_expanded_metaaction": ["Parking"]}, "reference.interactive_expanded_metaaction"),
    ],
)
def test_a_label_that_does_not_fit_the_schema_is_refused(av: Benchmark, reference: Any, param: str):
    with pytest.raises(BadInput) as refused:
        FIELDS.check(av.items[0].model_copy(update={"reference": reference}), av)
    assert refused.value.param == param
