"""How large a schema of an answer may be."""

import time
from typing import Any

import pytest

from studio.captions import ImageCaption, VideoCaption, bounded_schema
from studio.errors import BadInput
from studio.requests import Reason, parse_as


def asked(schema: dict[str, Any]) -> Reason:
    return parse_as(Reason, {"messages": [{"role": "user", "content": "x"}], "response_schema": schema})


def nested(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "integer"}
    for _ in range(depth):
        schema = {"type": "array", "items": schema}
    return schema


@pytest.mark.parametrize(
    ("part", "word"),
    [
        ({"type": "string", "minLength": 10**9}, "minLength"),
        ({"type": "array", "items": {"type": "integer"}, "minItems": 10**9}, "minItems"),
        ({"type": "object", "minProperties": 1e9}, "minProperties"),
        ({"type": "integer", "multipleOf": 999_983}, "multipleOf"),
    ],
)
def test_a_schema_that_wants_more_than_an_answer_can_have_is_refused_at_once(part: dict[str, Any], word: str):
    began = time.process_time()

    with pytest.raises(BadInput, match=f"response_schema: {word} is .* the maximum is") as refused:
        asked({"type": "object", "properties": {"a": {"anyOf": [{"type": "null"}, part]}}, "required": ["a"]})

    assert refused.value.param == "response_schema"
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize("depth", [64, 200, 100_000])
def test_a_schema_that_is_nested_too_deep_is_refused(depth: int):
    with pytest.raises(BadInput, match="nested more than 64 levels deep"):
        asked(nested(depth))


@pytest.mark.parametrize(
    "schema",
    [
        bounded_schema(ImageCaption),
        bounded_schema(VideoCaption),
        nested(63),
        {"type": "string", "minLength": 400, "maxLength": 10**9},
        {"type": "object", "properties": {"minLength": {"type": "integer"}, "multipleOf": {"type": "string"}}},
        {"type": "number", "multipleOf": 0.01},
    ],
)
def test_ordinary_schemas_pass(schema: dict[str, Any]):
    assert asked(schema).response_schema == schema
