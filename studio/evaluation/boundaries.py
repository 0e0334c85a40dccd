"""Where events and intervals begin and end: by the reference, by each answer, and as a person corrected them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, cast

from pydantic import JsonValue

from studio.evaluation.benchmark import Benchmark, Item
from studio.evaluation.corrections import Correction
from studio.evaluation.forms.intervals import EXAMPLE
from studio.evaluation.forms.truths import truths
from studio.evaluation.scores import Mark
from studio.prompting.parsers import parse_intervals
from studio.prompting.results import Interval
from studio.requests import Frozen

Times = Literal["corrected", "answered", "reference"]
"""Whose boundaries are exported: a person's, those of the first trial that can be read, or the reference's."""

Spans = tuple[Interval, ...]


class VideoLength(Frozen):
    """What frames have to do with seconds in a video."""

    fps: float
    num_frames: int
    duration_s: float


class TrialBoundaries(Frozen):
    """What one readable answer says."""

    trial: int
    spans: Spans


class ItemBoundaries(Frozen):
    """The boundaries of one item.

    Attributes:
        item: its id.
        video: the id of its first medium; empty without one.
        length: of the video; none where it is gone.
        reference: where an event has one time, its span reaches from the event before to that time.
        answered: of each answer that can be read.
        corrected: by the correction that counts; none without one.
    """

    item: str
    video: str
    length: VideoLength | None
    reference: Spans
    answered: tuple[TrialBoundaries, ...]
    corrected: Spans | None = None

    def spans(self, times: Times) -> Spans | None:
        """Those of one source; none where it says nothing."""
        if times == "corrected":
            return self.corrected
        if times == "reference":
            return self.reference
        return self.answered[0].spans if self.answered else None


class BoundaryList(Frozen):
    """`GET /v1/runs/{id}/boundaries`: of every item, in order."""

    items: tuple[ItemBoundaries, ...]


def boundaries_of(
    benchmark: Benchmark, item: Item, marks: Sequence[Mark], correction: Correction | None, length: VideoLength | None
) -> ItemBoundaries:
    """The boundaries of one item of a benchmark of events or intervals."""
    return ItemBoundaries(
        item=item.id,
        video=item.media[0] if item.media else "",
        length=length,
        reference=_spans(benchmark, item, item.reference),
        answered=tuple(
            TrialBoundaries(trial=mark.trial, spans=_read(benchmark, item, mark.reading))
            for mark in marks
            if mark.state == "read"
        ),
        corrected=None if correction is None else _spans(benchmark, item, correction.reference),
    )


def _read(benchmark: Benchmark, item: Item, reading: JsonValue) -> Spans:
    """What an answer says, in the layout of the form's `read`."""
    if benchmark.form == "intervals":
        return tuple(Interval.model_validate(one) for one in cast(list[Any], reading))
    return _spans(benchmark, item, reading)


def _spans(benchmark: Benchmark, item: Item, said: JsonValue) -> Spans:
    """What a reference says."""
    if benchmark.form == "intervals":
        given = item.model_copy(update={"reference": said})
        return tuple(truths(given, parse_intervals, Interval, EXAMPLE))
    spans: list[Interval] = []
    end_s = 0.0
    for name, one in zip(item.events, cast(list[Any], said), strict=True):
        if isinstance(one, list):
            start_s, end_s = cast(list[float], one)
        elif benchmark.events.counted == "end":
            start_s, end_s = end_s, float(one)
        else:
            start_s = end_s = float(one)
        spans.append(Interval(start_s=start_s, end_s=end_s, label=name))
    return tuple(spans)
