"""Boxes: IoU of each true box with the one that is assigned to it, one to one and of the same label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from pydantic import JsonValue

from studio.evaluation.assignment import assign
from studio.evaluation.benchmark import Benchmark, Item
from studio.evaluation.forms.form import AnswerForm, Measured, inside_answer, put, spoken
from studio.evaluation.forms.truths import as_json, of_kind, same_label, truths
from studio.prompting.parsers import parse_boxes
from studio.prompting.question import MediaPart, Question
from studio.prompting.results import SCHEMAS, Box, Frame

GOOD_IOU = 0.5
"""From which a box counts as found (PASCAL VOC)."""
EXAMPLE = 'For example: [{"box_2d": [100, 200, 300, 400], "label": "cup"}] on a grid of 0 to 1000.'

Rectangle = tuple[float, float, float, float]


def check(item: Item, benchmark: Benchmark) -> None:
    """A list of boxes as reference; an empty one says that nothing is there."""
    truths(item, parse_boxes, Box, EXAMPLE)


def question(item: Item, benchmark: Benchmark, media: Sequence[MediaPart], trial: int) -> Question:
    """The question as it is, answered with a list of boxes."""
    return put(benchmark, item.question, media, trial, schema=SCHEMAS["boxes"])


def read(item: Item, benchmark: Benchmark, text: str) -> JsonValue:
    """Every box that can be read."""
    return as_json(of_kind(parse_boxes(inside_answer(spoken(text)), Frame()).results, Box))


def measure(item: Item, benchmark: Benchmark, reading: list[Any]) -> Measured:
    """IoU and recall over the true boxes, and how many boxes there are beyond them."""
    wanted = truths(item, parse_boxes, Box, EXAMPLE)
    found = [Box.model_validate(one) for one in reading]
    extra = {"box_extra": float(max(0, len(found) - len(wanted)))}
    if not wanted:
        return Measured(extra)
    overlaps = np.array(
        [
            [box_iou(one.box_2d, other.box_2d) if same_label(one.label, other.label) else 0.0 for other in found]
            for one in wanted
        ]
    ).reshape(len(wanted), len(found))
    best = np.zeros(len(wanted))
    for row, column in assign(overlaps):
        best[row] = overlaps[row, column]
    return Measured({"box_iou": float(best.mean()), "box_recall": float((best >= GOOD_IOU).mean())} | extra)


def box_iou(one: Rectangle, other: Rectangle) -> float:
    """Intersection over union of two boxes x1 y1 x2 y2; 0 where they only touch."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    if width <= 0 or height <= 0:
        return 0.0
    both = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (one, other))
    return width * height / (both - width * height)


BOXES = AnswerForm(("box_iou", "box_recall", "box_extra", "parseable"), check, question, read, measure)
