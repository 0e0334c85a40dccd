"""The fields of an annotation: enums, numbers and switches are right or wrong, texts are for a judge.

A field that is missing from the truth or from the answer is not scored: it is counted. Null stands for a missing text,
and of a list of values it says that none applies.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from pydantic import JsonValue

from studio.captions import object_in, sendable
from studio.captions.answer import refuse_repetition
from studio.errors import BadInput
from studio.evaluation.benchmark import Benchmark, Item
from studio.evaluation.forms.form import AnswerForm, ForJudge, Measured, finite, inside_answer, put, spoken
from studio.evaluation.schema import AnnotationSchema, SchemaField
from studio.prompting.question import MediaPart, Question
from studio.requests import shown

_DASHES = re.compile("[‐‑‒–—−]")
_SAID = {"true": True, "yes": True, "false": False, "no": False}


def check(item: Item, benchmark: Benchmark) -> None:
    """An object with at least one field that is scored; what an exact field holds is one of its values."""
    schema = schema_of(benchmark)
    if not isinstance(item.reference, dict):
        raise BadInput(
            f"reference is {shown(item.reference)}; expected an object of annotations by field.", param="reference"
        )
    truth = stated(schema, item.reference)
    if not truth:
        names = ", ".join(field.name for field in schema.asked)
        raise BadInput(
            f"reference has no field of the schema {schema.id}; expected at least one of {names}.", param="reference"
        )
    for field in schema.asked:
        if field.exact and field.name in truth and not _is_legal(field, truth[field.name]):
            raise BadInput(
                f"reference.{field.name} is {shown(truth[field.name])}, which the schema {schema.id} does not have.",
                param=f"reference.{field.name}",
                hint=field.described(),
            )


def question(item: Item, benchmark: Benchmark, media: Sequence[MediaPart], trial: int) -> Question:
    """The schema's question, unless the item has its own."""
    schema = schema_of(benchmark)
    text = item.question or schema.question()
    return put(benchmark, text, media, trial, system=schema.system, schema=schema.json_schema())


def read(item: Item, benchmark: Benchmark, text: str) -> JsonValue:
    """The fields that the answer states, spelt as the schema spells them; one that repeats itself is unusable."""
    entry, _ = object_in(inside_answer(spoken(text)))
    refuse_repetition(entry)
    return stated(schema_of(benchmark), entry)


def measure(item: Item, benchmark: Benchmark, reading: Mapping[str, JsonValue]) -> Measured:
    """Accuracy of the exact fields that both sides state, and what the judge has to compare."""
    schema = schema_of(benchmark)
    truth = stated(schema, cast(Mapping[str, JsonValue], item.reference))
    both = [field for field in schema.asked if field.name in truth and field.name in reading]
    fields = {
        field.name: {"accuracy": float(truth[field.name] == reading[field.name])} for field in both if field.exact
    }
    right = [values["accuracy"] for values in fields.values()]
    judged = tuple(
        ForJudge(field.name, field.question, str(truth[field.name]), str(reading[field.name]))
        for field in both
        if field.judged
    )
    return Measured({"accuracy": sum(right) / len(right)} if right else {}, fields, judged)


def schema_of(benchmark: Benchmark) -> AnnotationSchema:
    """The schema, which a benchmark of this form has."""
    assert benchmark.annotation is not None
    return benchmark.annotation


def stated(schema: AnnotationSchema, entry: Mapping[str, Any]) -> dict[str, JsonValue]:
    """The scored fields that an annotation states, in the schema's order and spelling."""
    found: dict[str, JsonValue] = {}
    for field in schema.asked:
        if field.name not in entry:
            continue
        value = _value(field, entry[field.name])
        if value is not None:
            found[field.name] = value
    return found


def _value(field: SchemaField, given: Any) -> JsonValue:
    """What a field holds; None where that is nothing. What is not one of its values stays as it was said."""
    match field.type:
        case "enum":
            return _spelt(field, given) if given is not None else None
        case "several":
            several = cast(list[Any], given) if isinstance(given, list) else [] if given is None else [given]
            return cast(JsonValue, sorted(_spelt(field, one) for one in several))
        case "integer":
            number = finite(given)
            return int(number) if number is not None and number.is_integer() else _whole(given)
        case "boolean":
            return _SAID.get(given.strip().lower(), given) if isinstance(given, str) else given
        case "text":
            return sendable(given).strip() or None if isinstance(given, str) else None
        case "list":
            return given


def _spelt(field: SchemaField, given: Any) -> str:
    said = given if isinstance(given, str) else json.dumps(given)
    return next((value for value in field.values if _plain(value) == _plain(said)), sendable(said))


def _whole(given: Any) -> JsonValue:
    text = given.strip() if isinstance(given, str) else ""
    return int(text) if re.fullmatch(r"\d{1,9}", text) else given


def _plain(text: str) -> str:
    """Without case, final period and kinds of hyphens: annotators' files have U+2011 in `low‑contrast`."""
    return " ".join(_DASHES.sub("-", text).split()).rstrip(".").casefold()


def _is_legal(field: SchemaField, value: JsonValue) -> bool:
    match field.type:
        case "enum":
            return value in field.values
        case "several":
            return isinstance(value, list) and all(one in field.values for one in value)
        case "integer":
            assert field.low is not None
            assert field.high is not None
            return isinstance(value, int) and field.low <= value <= field.high
        case _:
            return isinstance(value, bool)


FIELDS = AnswerForm(("judge_score", "accuracy", "parseable"), check, question, read, measure)
