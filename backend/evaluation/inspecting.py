"""A page of the inspector: items with their answers, marks, corrections and boundaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from backend.evaluation.corrections import length_of
from backend.media import MediaStore
from studio.evaluation import Answer, Benchmark, Item
from studio.evaluation.boundaries import boundaries_of
from studio.evaluation.corrections import TIMED, Correction
from studio.evaluation.runs import AnsweredItem, AnsweredItems
from studio.evaluation.scores import Mark


def answered_page(
    media: MediaStore,
    benchmark: Benchmark,
    answers: Sequence[Answer],
    marks: Mapping[str, Sequence[Mark]],
    corrections: Mapping[str, Correction],
    *,
    category: str,
    state: str,
    offset: int,
    limit: int,
) -> AnsweredItems:
    """A page of items in their order. Reads the lengths of videos, so it runs beside the event loop.

    Args:
        media: where the videos of events and intervals are.
        benchmark: of the run.
        answers: of the run, in any order.
        marks: by item.
        corrections: that count, by item.
        category: of the items; empty is all.
        state: of a mark that an item must have; empty is all.
        offset, limit: of the page.
    """
    wanted = [
        item
        for item in benchmark.items
        if category in ("", item.category)
        and (not state or any(mark.state == state for mark in marks.get(item.id, ())))
    ]
    page = wanted[offset : offset + limit]
    given: dict[str, list[Answer]] = {item.id: [] for item in page}
    for answer in answers:
        if answer.item in given:
            given[answer.item].append(answer)

    def answered(item: Item) -> AnsweredItem:
        own, correction = tuple(marks.get(item.id, ())), corrections.get(item.id)
        timed = benchmark.form in TIMED
        return AnsweredItem(
            item=item,
            answers=tuple(sorted(given[item.id], key=lambda answer: answer.trial)),
            marks=own,
            correction=correction,
            boundaries=boundaries_of(benchmark, item, own, correction, length_of(media, item)) if timed else None,
        )

    return AnsweredItems(
        items=tuple(answered(item) for item in page),
        total=len(wanted),
        next_offset=offset + limit if offset + limit < len(wanted) else None,
        annotation=benchmark.annotation,
    )
