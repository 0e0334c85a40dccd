from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from studio.captions import UnusableAnswer, object_in, split_thought, values_in
from studio.captions.json_text import MAX_ANSWER_CHARACTERS

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12) | st.sampled_from(["```", "```json\n{}\n```"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=10,
)
OBJECTS = st.dictionaries(st.text(max_size=6) | st.sampled_from(["```", "</think>"]), VALUES, max_size=4)


@given(OBJECTS, st.sampled_from([None, 1]), st.sampled_from(["{}", "```json\n{}\n```", "```\n{}\n```\n", "\n {} \n"]))
def test_a_valid_object_is_never_repaired(value: dict[str, Any], indent: int | None, around: str):
    text = around.replace("{}", json.dumps(value, indent=indent))

    assert object_in(text) == (value, [])


@given(st.dictionaries(st.text("abc", min_size=1, max_size=3), VALUES, min_size=1, max_size=4), st.data())
def test_an_object_without_its_last_brackets_is_closed(value: dict[str, Any], data: st.DataObject):
    text = json.dumps(value)
    num_closing = len(text) - len(text.rstrip("}]"))
    cut = data.draw(st.integers(1, num_closing))

    read, repairs = object_in(text[:-cut])

    assert read == value
    assert "brackets_closed" in {repair.kind for repair in repairs}


@given(st.lists(VALUES, min_size=1, max_size=4))
def test_a_comma_before_a_bracket_is_dropped(items: list[Any]):
    text = '{"a": ' + json.dumps(items)[:-1] + " ,\n]\n,}"

    read, repairs = object_in(text)

    assert read == {"a": items}
    assert [repair.kind for repair in repairs] == ["trailing_comma"]


@pytest.mark.parametrize(
    ("text", "value", "kinds"),
    [
        ('Here it is: {"a": 1} Enjoy!', {"a": 1}, ["commentary_dropped"]),
        ('{"a": "x\ny"}', {"a": "x\ny"}, ["escape"]),
        ('{"a": "it\\\'s"}', {"a": "it's"}, ["escape"]),
        ('{"a": [1, 2}', {"a": [1, 2]}, ["brackets_closed"]),
        ('{"a": 1, "b": tru', {"a": 1}, ["brackets_closed", "tail_dropped"]),
        ('{"a": 1, "b": "unfin', {"a": 1, "b": "unfin"}, ["brackets_closed"]),
        ('{"a": 1, "b": "unfin\\', {"a": 1, "b": "unfin"}, ["brackets_closed"]),
        ('{"a": "```json", "b": {"c": 1}, "d": "```"}', {"a": "```json", "b": {"c": 1}, "d": "```"}, []),
        ('```json\n{"a": "use ``` here", "b": {}}\n```\nDone.', {"a": "use ``` here", "b": {}}, []),
        ('{"a": 1]}', {"a": 1}, ["bracket_dropped"]),
        ('```json\n{"a": 1,', {"a": 1}, ["trailing_comma", "brackets_closed"]),
        ('{"small": 1}\n{"larger": [1, 2, 3]}', {"larger": [1, 2, 3]}, ["commentary_dropped"]),
        ('I {see} a [cup] at (3, 4): {"a": 1}', {"a": 1}, ["commentary_dropped"]),
    ],
)
def test_the_usual_breakages_are_mended(text: str, value: dict[str, Any], kinds: list[str]):
    read, repairs = object_in(text)

    assert read == value
    assert [repair.kind for repair in repairs] == kinds


@pytest.mark.parametrize(
    "text",
    [
        "",
        "No.",
        "[1, 2]",
        '{"a": NaN}',
        "{" * 50,
        '{"a":' * 5000,
        "[" * 100_000,
        "{'a': 1}",
        '{"a": ' + "[" * 40 + "]" * 40 + "}",
        '{"a": ' + "9" * 5000 + "}",
        "x" * (MAX_ANSWER_CHARACTERS + 1),
    ],
)
def test_what_holds_no_object_is_refused_with_a_reason(text: str):
    with pytest.raises(UnusableAnswer) as caught:
        object_in(text)

    assert caught.value.why.endswith(".")
    assert len(caught.value.why) < 200


@given(st.text('{}[]",:\\ `\n1atru', max_size=60) | st.text(max_size=60))
@example('{"\\u12')
@example('"}{')
def test_no_text_makes_the_reading_raise_anything_else(text: str):
    for read in (object_in, values_in):
        with contextlib.suppress(UnusableAnswer):
            read(text)


def test_every_value_of_an_answer_is_found_in_order():
    assert values_in('{"p": [1, 2]}\n{"p": [3, 4]}') == [{"p": [1, 2]}, {"p": [3, 4]}]


def test_an_empty_list_is_a_value():
    assert values_in("There is none: []") == [[]]


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("plain", ("", "plain")),
        ("<think>a</think>b", ("a", "b")),
        ("a</think>\n\nb", ("a", "b")),
        ("<think>never closed", ("never closed", "")),
        ("<think>a</think><answer>b</answer>", ("a", "b")),
        ("<think>a</think>b</think>", ("a", "b</think>")),
        ('{"a": "</think>"}', ("", '{"a": "</think>"}')),
        ("say <think> aloud", ("", "say <think> aloud")),
    ],
)
def test_thinking_is_told_from_the_answer(text: str, spoken: tuple[str, str]):
    assert split_thought(text) == spoken
