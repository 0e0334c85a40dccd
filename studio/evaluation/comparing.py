"""Runs beside each other: what changed most between two, and tables of several."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Literal

from studio.errors import BadInput
from studio.evaluation.metrics import METRICS
from studio.evaluation.scores import Group, MarkChange, Measurement, Scores, ScoreTable, TableCell, TableRow
from studio.requests import nearest

OVERALL = "Overall"

BY_ITEM = {"bleu": "sentence_bleu", "video_accuracy": "accuracy"}
"""What stands for a metric of many answers where one item is looked at."""


def compare(before: Scores, after: Scores, metric: str | None = None) -> tuple[MarkChange, ...]:
    """The items whose value differs between two runs, the largest change first.

    Args:
        before, after: of the same benchmark.
        metric: that is compared; none is the headline of the first.

    Raises:
        BadInput: they are of different benchmarks, or the metric does not exist.
    """
    if (before.benchmark, before.form) != (after.benchmark, after.form):
        raise BadInput(
            f"The runs are of the benchmarks {before.benchmark} and {after.benchmark}; expected two runs of one.",
            param="runs",
        )
    name = _known(metric or before.headline)
    name = BY_ITEM.get(name, name)
    sign = 1 if METRICS[name].better == "higher" else -1
    old, new = _by_item(before, name), _by_item(after, name)
    changes = [
        MarkChange(item=item, metric=name, before=old[item], after=new[item], gain=sign * (new[item] - old[item]))
        for item in old
        if item in new and old[item] != new[item]
    ]
    return tuple(sorted(changes, key=lambda change: -abs(change.gain)))


def table(
    scores: Mapping[str, Scores], metric: str | None = None, over: Literal["categories", "fields"] = "categories"
) -> ScoreTable:
    """Categories, or fields of an annotation, × models; the last row is over all items.

    Args:
        scores: by the model's name, in the order of the columns.
        metric: that is shown; none is the headline of the first model. A field without it shows its own.
        over: what the rows are.

    Raises:
        BadInput: there are no scores, or the metric does not exist.
    """
    if not scores:
        raise BadInput("There are no scores; expected at least one run.", param="runs")
    name = _known(metric or next(iter(scores.values())).headline)
    groups = {
        model: {group.name: group for group in (one.categories if over == "categories" else one.fields)}
        for model, one in scores.items()
    }
    names = dict.fromkeys(group for found in groups.values() for group in found)
    rows = [_row(group, {model: found.get(group) for model, found in groups.items()}, name) for group in names]
    last = _row(OVERALL, {model: one.overall for model, one in scores.items()}, name)
    return ScoreTable(metric=name, models=tuple(scores), rows=(*rows, last))


def _row(name: str, groups: Mapping[str, Group | None], metric: str) -> TableRow:
    shown = {model: _shown(group, metric) for model, group in groups.items() if group is not None}
    ranked = [_as_written(one) for one in shown.values() if one.value is not None]
    best = max(ranked, default=None)
    return TableRow(
        name=name,
        cells={
            model: TableCell(measurement=one, best=one.value is not None and _as_written(one) == best)
            for model, one in shown.items()
        },
    )


def _shown(group: Group, metric: str) -> Measurement:
    return next((one for one in group.measurements if one.metric == metric), group.measurements[0])


def _as_written(one: Measurement) -> float:
    """The value as a table shows it, so that what looks equal is equally good; a larger one is better."""
    facts = METRICS[one.metric]
    assert one.value is not None
    written = round(one.value * facts.scale, facts.digits)
    return written if facts.better == "higher" else -written


def _by_item(scores: Scores, metric: str) -> dict[str, float]:
    values: defaultdict[str, list[float]] = defaultdict(list)
    for one in scores.marks:
        if metric in one.values:
            values[one.item].append(one.values[metric])
    return {item: sum(found) / len(found) for item, found in values.items()}


def _known(metric: str) -> str:
    if metric not in METRICS:
        raise BadInput(f"There is no metric {metric}.", param="metric", hint=nearest(metric, METRICS))
    return metric
