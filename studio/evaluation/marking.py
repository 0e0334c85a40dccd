"""What each answer of a run is worth, one by one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from studio.captions import UnusableAnswer
from studio.errors import BadInput
from studio.evaluation.answers import Answer, FieldVerdict
from studio.evaluation.benchmark import Benchmark, Item
from studio.evaluation.forms import FORMS, Measured, metrics_of
from studio.evaluation.forms.fields import stated
from studio.evaluation.metrics import METRICS
from studio.evaluation.scores import Mark
from studio.requests import shown

Verdicts = Mapping[tuple[str, int], Sequence[FieldVerdict]]
"""By item and trial."""


class Sorted(NamedTuple):
    """Answers by item and trial, and how many more there were for one that had an answer."""

    answers: dict[tuple[str, int], Answer]
    repeated: dict[str, int]


def sort_answers(benchmark: Benchmark, answers: Iterable[Answer]) -> Sorted:
    """One answer for each item and trial: the first that did not fail, else the first.

    Raises:
        BadInput: an answer is to no item or trial of the benchmark.
    """
    known = {item.id for item in benchmark.items}
    found: dict[tuple[str, int], Answer] = {}
    repeated: dict[str, int] = {}
    for answer in answers:
        if answer.item not in known:
            raise BadInput(
                f"There is an answer to the item {shown(answer.item)}, which the benchmark {benchmark.name} does not "
                "have.",
                param="answers",
            )
        if answer.trial >= benchmark.settings.trials:
            raise BadInput(
                f"Item {answer.item} has an answer of trial {answer.trial}; the benchmark {benchmark.name} has trials "
                f"0 to {benchmark.settings.trials - 1}.",
                param="answers",
            )
        key = (answer.item, answer.trial)
        if key in found:
            repeated[answer.item] = repeated.get(answer.item, 0) + 1
        if key not in found or (found[key].error is not None and answer.error is None):
            found[key] = answer
    return Sorted(found, repeated)


def judge_of(verdicts: Sequence[FieldVerdict], judge: str | None) -> str | None:
    """The judge whose verdicts count: the one that is named, else the only one.

    Raises:
        BadInput: none is named, and there are several.
    """
    judges = sorted({verdict.judge for verdict in verdicts})
    if judge is not None or not judges:
        return judge
    if len(judges) > 1:
        raise BadInput(
            f"{len(judges)} judges have scored these answers; expected the name of one.",
            param="judge",
            hint=f"Known values: {', '.join(judges)}.",
        )
    return judges[0]


def mark(benchmark: Benchmark, item: Item, answer: Answer, verdicts: Sequence[FieldVerdict]) -> Mark:
    """One answer's mark."""
    form = FORMS[benchmark.form]
    if answer.error is not None:
        return _missed(benchmark, item, answer, "failed", answer.error.message)
    try:
        reading = form.read(item, benchmark, answer.text)
    except UnusableAnswer as error:
        return _missed(benchmark, item, answer, "unparsed", error.why)
    measured = form.measure(item, benchmark, reading)
    values, fields, unjudged = _with_verdicts(measured, verdicts)
    return Mark(
        item=item.id,
        trial=answer.trial,
        state="read",
        reading=reading,
        values={**values, "parseable": 1.0},
        fields=fields,
        series=measured.series,
        verdicts=tuple(verdicts),
        unjudged=unjudged,
    )


def _missed(benchmark: Benchmark, item: Item, answer: Answer, state: str, why: str) -> Mark:
    fields = {name: {"accuracy": 0.0} for name in exact_truths(benchmark, item)}
    misses = {name: miss for name in metrics_of(benchmark) if (miss := METRICS[name].miss) is not None}
    # A truth without boxes, intervals or exact fields has nothing to miss.
    nothing = item.reference == [] or (benchmark.form == "fields" and not fields)
    values = ({} if nothing else misses) | ({"parseable": 0.0} if state == "unparsed" else {})
    return Mark.model_validate(
        {"item": item.id, "trial": answer.trial, "state": state, "why": why, "values": values, "fields": fields}
    )


def exact_truths(benchmark: Benchmark, item: Item) -> dict[str, object]:
    """What an item's annotation has in the fields that are right or wrong; nothing of other forms."""
    schema = benchmark.annotation
    if schema is None or not isinstance(item.reference, dict):
        return {}
    truth = stated(schema, item.reference)
    return {field.name: truth[field.name] for field in schema.asked if field.exact and field.name in truth}


def _with_verdicts(
    measured: Measured, verdicts: Sequence[FieldVerdict]
) -> tuple[dict[str, float], dict[str, dict[str, float]], tuple[str, ...]]:
    """Values and fields with the judge's scores, and the fields that it gave none."""
    scores = {verdict.field: verdict.score for verdict in verdicts}
    given = {pair.field: score for pair in measured.judged if (score := scores.get(pair.field)) is not None}
    unjudged = tuple(pair.field for pair in measured.judged if pair.field not in given)
    fields = {**measured.fields, **{name: {"judge_score": float(score)} for name, score in given.items() if name}}
    values = dict(measured.values)
    if given:
        values["judge_score"] = sum(given.values()) / len(given)
    return values, fields, unjudged
