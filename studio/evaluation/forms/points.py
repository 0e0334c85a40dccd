"""Points: the share of them inside a true box or mask."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, cast

from pydantic import JsonValue

from studio.errors import BadInput
from studio.evaluation.benchmark import Benchmark, Item
from studio.evaluation.forms.form import AnswerForm, Measured, inside_answer, put, spoken
from studio.evaluation.forms.truths import as_json, of_kind
from studio.prompting.entries import field_of, numbers_of
from studio.prompting.parsers import BOX_NAMES, parse_points
from studio.prompting.question import MediaPart, Question
from studio.prompting.results import GRID, SCHEMAS, Frame, Point
from studio.requests import Frozen, shown

EXAMPLE = (
    'For example: [{"box_2d": [100, 200, 300, 400]}] on a grid of 0 to 1000, or [{"size": [height, width], '
    '"counts": […]}] with the run lengths of a mask.'
)


class _Rectangle(Frozen):
    box_2d: tuple[float, float, float, float]

    def has(self, x: float, y: float) -> bool:
        left, top, right, bottom = self.box_2d
        return left <= x <= right and top <= y <= bottom


class _Mask(Frozen):
    """COCO's run lengths: column by column, outside first."""

    size: tuple[int, int]
    counts: tuple[int, ...]

    def has(self, x: float, y: float) -> bool:
        height, width = self.size
        column, row = min(int(x * width / GRID), width - 1), min(int(y * height / GRID), height - 1)
        place = column * height + row
        run = next(number for number, end in enumerate(itertools.accumulate(self.counts)) if place < end)
        return run % 2 == 1


def check(item: Item, benchmark: Benchmark) -> None:
    """Boxes or masks as reference."""
    _regions(item)


def question(item: Item, benchmark: Benchmark, media: Sequence[MediaPart], trial: int) -> Question:
    """The question as it is, answered with a list of points."""
    return put(benchmark, item.question, media, trial, schema=SCHEMAS["points"])


def read(item: Item, benchmark: Benchmark, text: str) -> JsonValue:
    """Every point that can be read."""
    return as_json(of_kind(parse_points(inside_answer(spoken(text)), Frame()).results, Point))


def measure(item: Item, benchmark: Benchmark, reading: list[Any]) -> Measured:
    """The share of points inside; 0 where there is none."""
    regions = _regions(item)
    points = [Point.model_validate(one).point_2d for one in reading]
    inside = [any(region.has(x, y) for region in regions) for x, y in points]
    return Measured({"point_inside": sum(inside) / len(inside) if inside else 0.0})


def _regions(item: Item) -> list[_Rectangle | _Mask]:
    given = item.reference if isinstance(item.reference, list) else [item.reference]
    if not given:
        raise BadInput("reference is empty; expected at least one box or mask.", param="reference", hint=EXAMPLE)
    return [_region(entry) for entry in given]


def _region(entry: JsonValue) -> _Rectangle | _Mask:
    fields = cast(dict[str, Any], entry) if isinstance(entry, dict) else {}
    try:
        if "counts" not in fields:
            x1, y1, x2, y2 = numbers_of(field_of(fields, BOX_NAMES), 4)
            return _Rectangle(box_2d=(x1, y1, x2, y2))
        mask = _Mask.model_validate({"size": fields.get("size"), "counts": fields["counts"]})
    except ValueError:
        raise BadInput(
            f"reference has {shown(entry)}; expected a box or a mask.", param="reference", hint=EXAMPLE
        ) from None
    if sum(mask.counts) != mask.size[0] * mask.size[1] or min(mask.counts) < 0:
        raise BadInput(
            f"reference has a mask whose counts add up to {sum(mask.counts):,}; expected height × width = "
            f"{mask.size[0] * mask.size[1]:,}.",
            param="reference",
        )
    return mask


POINTS = AnswerForm(("point_inside", "parseable"), check, question, read, measure)
