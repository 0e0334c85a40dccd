"""What a person corrects: the boundaries of events and intervals, and the fields of an annotation.

A correction is another truth of an item, in the layout of its reference. Answers stay as they were given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeVar, cast

from pydantic import AfterValidator, AwareDatetime, Field, JsonValue

from studio.errors import BadInput
from studio.evaluation.benchmark import Benchmark, Form, Item
from studio.evaluation.forms import FORMS
from studio.evaluation.forms.fields import stated
from studio.evaluation.forms.form import finite
from studio.evaluation.forms.intervals import EXAMPLE
from studio.evaluation.forms.truths import truths
from studio.prompting.parsers import parse_intervals
from studio.prompting.results import Interval
from studio.requests import Frozen, shown
from studio.requests.fields import BoundedText, on_one_line

TIMED: tuple[Form, ...] = ("events", "intervals")
"""Forms whose references have boundaries in time."""
CORRECTED: tuple[Form, ...] = (*TIMED, "fields")

TIME_DIGITS = 2
"""Of a corrected time in seconds: `orrery overlay` writes the time of a frame as `%.2f`, and a model reads it there."""


MAX_NAME = 60

PersonName = Annotated[BoundedText, AfterValidator(on_one_line("the person's name", MAX_NAME))]


class CorrectItem(Frozen):
    """`PUT /v1/runs/{id}/corrections`.

    Attributes:
        item: its id.
        reference: what is true, in the layout of the item's reference; of events [start, end] of each.
        by: who says so.
    """

    item: str
    reference: JsonValue
    by: PersonName


class Correction(CorrectItem):
    """One correction of one item by one person, who replaces it with the next."""

    created_at: AwareDatetime


class CorrectionList(Frozen):
    """`GET /v1/runs/{id}/corrections`: the oldest first; of an item the last one counts."""

    corrections: tuple[Correction, ...]


MAX_BROUGHT = 10_000


class BringCorrections(Frozen):
    """`POST /v1/benchmarks/{id}/corrections`: those of another Orrery, from `corrections.jsonl` of a run's zip."""

    corrections: Annotated[tuple[Correction, ...], Field(max_length=MAX_BROUGHT)]


Kept = TypeVar("Kept", bound=CorrectItem)


def checked(benchmark: Benchmark, asked: Kept) -> Kept:
    """A correction as it is kept: times of two decimals, fields as the schema spells them.

    Raises:
        BadInput: the form has no corrections, there is no such item, or it could not be the item's reference.
    """
    if benchmark.form not in CORRECTED:
        raise BadInput(
            f"{benchmark.name} has the form {benchmark.form}; expected {', '.join(CORRECTED[:-1])} or {CORRECTED[-1]}.",
            param="item",
        )
    item = next((item for item in benchmark.items if item.id == asked.item), None)
    if item is None:
        raise BadInput(f"{benchmark.name} has no item {shown(asked.item)}.", param="item")
    kept = item.model_copy(update={"reference": _tidy(benchmark, item, asked.reference)})
    FORMS[benchmark.form].check(kept, benchmark)
    return asked.model_copy(update={"reference": kept.reference})


def newest(corrections: Sequence[Correction]) -> dict[str, Correction]:
    """The correction that counts by item: the last one."""
    return {correction.item: correction for correction in sorted(corrections, key=lambda one: one.created_at)}


def with_corrections(benchmark: Benchmark, corrections: Mapping[str, Correction]) -> tuple[Item, ...]:
    """The items that were corrected, in their order, each with its correction as reference."""
    return tuple(
        item.model_copy(update={"reference": corrections[item.id].reference})
        for item in benchmark.items
        if item.id in corrections
    )


def _tidy(benchmark: Benchmark, item: Item, reference: JsonValue) -> JsonValue:
    if benchmark.form == "events":
        return _pairs(reference)
    if benchmark.form == "intervals":
        given = item.model_copy(update={"reference": reference})
        return [_interval(one) for one in truths(given, parse_intervals, Interval, EXAMPLE)]
    if benchmark.annotation is None or not isinstance(reference, dict):
        return reference  # the form's check says what is wrong with it
    return {**reference, **stated(benchmark.annotation, reference)}


def _interval(one: Interval) -> JsonValue:
    times: dict[str, JsonValue] = {"start": round(one.start_s, TIME_DIGITS), "end": round(one.end_s, TIME_DIGITS)}
    return times | ({"label": one.label} if one.label else {})


def _pairs(reference: JsonValue) -> JsonValue:
    pairs: list[JsonValue] = []
    for one in reference if isinstance(reference, list) else [reference]:
        times = [finite(time) for time in cast(list[Any], one)] if isinstance(one, list) else []
        if len(times) != 2 or times[0] is None or times[1] is None or not 0 <= times[0] <= times[1]:
            raise BadInput(
                f"reference has {shown(one)}; expected [start, end] in seconds, the start first.", param="reference"
            )
        pairs.append([round(times[0], TIME_DIGITS), round(times[1], TIME_DIGITS)])
    return pairs
