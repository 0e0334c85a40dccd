"""Metrics that have parts: PSNR by frame of the horizon, squared errors by channel of an action."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from studio.evaluation.benchmark import Benchmark
from studio.evaluation.scores import Mark
from studio.requests.embodiments import EMBODIMENTS


def mean_series(by_item: Sequence[Sequence[Mark]]) -> dict[str, tuple[float, ...]]:
    """By metric, the mean at each place: over an item's trials, then over the items that are as long.

    Args:
        by_item: the marks of each item.
    """
    names = dict.fromkeys(name for marks in by_item for mark in marks for name in mark.series)
    found: dict[str, tuple[float, ...]] = {}
    for name in names:
        of_items = [_mean([mark.series[name] for mark in marks if name in mark.series]) for marks in by_item]
        found[name] = _mean(of_items)
    return found


def channel_names(benchmark: Benchmark) -> tuple[str, ...]:
    """Of the actions of a benchmark of requests; none where embodiments differ, or have no names."""
    laid_over = benchmark.settings.request.get("embodiment")
    bodies = {str(laid_over or item.request.get("embodiment")) for item in benchmark.items if item.request is not None}
    (body,) = bodies if len(bodies) == 1 else ("",)
    return EMBODIMENTS[body].columns if body in EMBODIMENTS else ()


def _mean(rows: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """The mean of each column; rows may end earlier than others."""
    columns = ([value for value in column if value is not None] for column in zip_longest(*rows))
    return tuple(sum(values) / len(values) for values in columns)
