"""Scores: what the answers of a run are worth, overall, by category and by field, with intervals and counts."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from studio.evaluation.answers import FieldVerdict
from studio.evaluation.benchmark import Form
from studio.requests import Frozen

MarkState = Literal["read", "unparsed", "failed"]


class Counts(Frozen):
    """How many answers there are, and how many can be scored.

    Attributes:
        planned: items × trials.
        asked: that came to an end: answered + failed.
        answered: with a text.
        unparsed: of the answered, those that could not be read.
        failed: that ended with an error.
        unanswered: planned − asked.
        repeated: further answers to an item's trial; they are ignored.
        no_reference: of a field: answers that could be read, where the truth lacks the field.
        no_field: of a field: answers that could be read and lack the field.
        unjudged: texts without a score of the judge.
    """

    planned: int = 0
    asked: int = 0
    answered: int = 0
    unparsed: int = 0
    failed: int = 0
    unanswered: int = 0
    repeated: int = 0
    no_reference: int = 0
    no_field: int = 0
    unjudged: int = 0


class Measurement(Frozen):
    """One number of a group.

    Attributes:
        metric: its name in `METRICS`.
        value: none where nothing could be measured.
        low, high: its 95 % interval: Wilson's of a rate, the bootstrap's of a mean, over items.
        sd: standard deviation over videos of per-video accuracy, else over trials where there are several.
        n: items, or videos, that it is the mean of.
        baseline: of a field that is right or wrong: the accuracy of always answering its most frequent truth.
    """

    metric: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    sd: float | None = None
    n: int = 0
    baseline: float | None = None


class Group(Frozen):
    """All items, one category (of temporal localisation: one task) or one field; `name` is empty of all.

    Attributes:
        series: by metric the means of its parts, as of each frame or of each channel of an action.
    """

    name: str = ""
    counts: Counts
    measurements: tuple[Measurement, ...]
    series: dict[str, tuple[float, ...]] = Field(default_factory=dict[str, tuple[float, ...]])

    def value(self, metric: str) -> float | None:
        """The value of a metric; none where it was not measured."""
        return next((one.value for one in self.measurements if one.metric == metric), None)


class Mark(Frozen):
    """One answer, for the inspector.

    Attributes:
        item, trial: of the answer.
        state: whether it could be read.
        why: it could not, or failed.
        reading: what it says.
        values: by metric; of an answer that could not be read the values of a miss.
        fields: by field, then by metric.
        series: by metric its parts.
        verdicts: of the judge.
        unjudged: fields that the judge has not scored; of a text the empty one.
    """

    item: str
    trial: int
    state: MarkState
    why: str = ""
    reading: JsonValue = None
    values: dict[str, float] = Field(default_factory=dict[str, float])
    fields: dict[str, dict[str, float]] = Field(default_factory=dict[str, dict[str, float]])
    series: dict[str, tuple[float, ...]] = Field(default_factory=dict[str, tuple[float, ...]])
    verdicts: tuple[FieldVerdict, ...] = ()
    unjudged: tuple[str, ...] = ()


class Scores(Frozen):
    """What the answers of one run are worth.

    Attributes:
        benchmark: its name.
        form: of its items.
        headline: the metric that models are compared by.
        judge: whose verdicts count; none without.
        overall: over all items.
        categories: in the order of their first item; items without one are in `overall` only.
        fields: of an annotation, in its order.
        channels: names of an action's values, as `series` of actions has them; empty where they have none.
        marks: in the order of items, then of trials.
    """

    benchmark: str
    form: Form
    headline: str
    judge: str | None = None
    overall: Group
    categories: tuple[Group, ...] = ()
    fields: tuple[Group, ...] = ()
    channels: tuple[str, ...] = ()
    marks: tuple[Mark, ...] = ()

    @property
    def marks_by_item(self) -> dict[str, list[Mark]]:
        """The marks of every item that has any, in their order."""
        found: dict[str, list[Mark]] = {}
        for mark in self.marks:
            found.setdefault(mark.item, []).append(mark)
        return found


class MarkChange(Frozen):
    """How one item changed between two runs.

    Attributes:
        item: its id.
        metric: that is compared.
        before, after: mean over trials.
        gain: after − before, negated where lower is better: positive is an improvement.
    """

    item: str
    metric: str
    before: float
    after: float
    gain: float


class TableCell(Frozen):
    """One model in one row; `best` where no other of the row is better."""

    measurement: Measurement
    best: bool = False


class TableRow(Frozen):
    """One category or field; the last row is `Overall`. A model without it has no cell."""

    name: str
    cells: dict[str, TableCell]


class ScoreTable(Frozen):
    """Categories or fields × models, as in the recipes' tables."""

    metric: str
    models: tuple[str, ...]
    rows: tuple[TableRow, ...]
