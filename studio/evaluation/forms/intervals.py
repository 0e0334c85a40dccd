"""Intervals of a clip: temporal IoU of each true one with the one that is assigned to it, one to one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from pydantic import JsonValue

from studio.evaluation.assignment import assign
from studio.evaluation.benchmark import Benchmark, Item
from studio.evaluation.forms.form import AnswerForm, Measured, inside_answer, put, spoken
from studio.evaluation.forms.truths import as_json, of_kind, truths
from studio.prompting.parsers import parse_intervals
from studio.prompting.question import MediaPart, Question
from studio.prompting.results import SCHEMAS, Frame, Interval

GOOD_IOU = 0.5
"""From which an interval counts as found, as R@1, IoU 0.5 of moment retrieval."""
LEAST_S = 0.1
"""A shorter interval is taken to last so long, for relative errors."""
EXAMPLE = 'For example: [{"start": 1.5, "end": 4.0}], in seconds.'


def check(item: Item, benchmark: Benchmark) -> None:
    """A list of intervals as reference; an empty one says that it does not happen."""
    truths(item, parse_intervals, Interval, EXAMPLE)


def question(item: Item, benchmark: Benchmark, media: Sequence[MediaPart], trial: int) -> Question:
    """The question as it is, answered with a list of intervals."""
    return put(benchmark, item.question, media, trial, schema=SCHEMAS["intervals"])


def read(item: Item, benchmark: Benchmark, text: str) -> JsonValue:
    """Every interval that can be read."""
    return as_json(of_kind(parse_intervals(inside_answer(spoken(text)), Frame()).results, Interval))


def measure(item: Item, benchmark: Benchmark, reading: list[Any]) -> Measured:
    """IoU and recall over the true intervals. Captions differ in words and are not compared."""
    wanted = truths(item, parse_intervals, Interval, EXAMPLE)
    if not wanted:
        return Measured({})
    found = [Interval.model_validate(one) for one in reading]
    overlaps = np.array([[temporal_iou(one, other) for other in found] for one in wanted])
    overlaps = overlaps.reshape(len(wanted), len(found))
    best = np.zeros(len(wanted))
    for row, column in assign(overlaps):
        best[row] = overlaps[row, column]
    overlap = {"temporal_iou": float(best.mean()), "temporal_recall": float((best >= GOOD_IOU).mean())}
    return Measured(overlap | _boundaries(wanted, found))


def _boundaries(wanted: Sequence[Interval], found: Sequence[Interval]) -> dict[str, float]:
    """Mean error of start and end of each true interval's nearest one, in seconds and by its own length."""
    if not found:
        return {}
    errors = [min((abs(one.start_s - it.start_s) + abs(one.end_s - it.end_s)) / 2 for one in found) for it in wanted]
    lengths = [max(it.end_s - it.start_s, LEAST_S) for it in wanted]
    relative = [100 * error / length for error, length in zip(errors, lengths, strict=True)]
    return {"mae_s": float(np.mean(errors)), "mre_percent": float(np.mean(relative))}


def temporal_iou(one: Interval, other: Interval) -> float:
    """Intersection over union: 1 to 3 s and 2 to 5 s share 1 of 4 s."""
    common = min(one.end_s, other.end_s) - max(one.start_s, other.start_s)
    if common <= 0:
        return 0.0
    return common / (max(one.end_s, other.end_s) - min(one.start_s, other.start_s))


INTERVALS = AnswerForm(
    ("temporal_iou", "temporal_recall", "mae_s", "mre_percent", "parseable"), check, question, read, measure
)
