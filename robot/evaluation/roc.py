"""How well a score tells disturbed runs from undisturbed ones: the curve, the area below it, and false alarms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robot.observation import ROWS_PER_SECOND

Series = Sequence[float | None]
"""Divergence of each tick of a run; none where nothing was foreseen in time, which counts as being within a limit."""


@dataclass(frozen=True)
class Point:
    """Of the curve.

    Attributes:
        limit: beyond which a run counts as disturbed.
        true_share, false_share: of the disturbed and of the undisturbed runs beyond it.
        false_per_minute: holds in undisturbed runs, by the minute of their comparisons.
    """

    limit: float
    true_share: float
    false_share: float
    false_per_minute: float


def score(series: Series, num_ticks: int) -> float:
    """The largest limit at which a run would be held: the best of the worst of so many ticks in a row.

    [0.1, 0.9, 0.8, 0.2] is 0.8 for two ticks, and 0.1 for four.
    """
    values = [0.0 if value is None else value for value in series]
    windows = [min(values[first : first + num_ticks]) for first in range(len(values) - num_ticks + 1)]
    return max(windows, default=0.0)


def area(disturbed: Sequence[float], undisturbed: Sequence[float]) -> float:
    """Below the curve: how often a disturbed run has the larger score, ties counted half (Mann-Whitney's U)."""
    assert disturbed
    assert undisturbed
    wins = [1.0 if one > other else 0.5 if one == other else 0.0 for one in disturbed for other in undisturbed]
    return float(np.mean(wins))


def num_holds(series: Series, limit: float, num_ticks: int) -> int:
    """How often a run would be held, were it resumed each time."""
    holds = beyond = 0
    for value in series:
        beyond = beyond + 1 if value is not None and value > limit else 0
        if beyond == num_ticks:
            holds, beyond = holds + 1, 0
    return holds


def curve(disturbed: Sequence[Series], undisturbed: Sequence[Series], num_ticks: int) -> list[Point]:
    """A point for each limit at which something changes, from the highest to the lowest."""
    true, false = ([score(series, num_ticks) for series in group] for group in (disturbed, undisturbed))
    compared = sum(value is not None for series in undisturbed for value in series)
    minutes = max(compared, 1) / ROWS_PER_SECOND / 60
    return [
        Point(
            limit=limit,
            true_share=float(np.mean([one > limit for one in true])),
            false_share=float(np.mean([one > limit for one in false])),
            false_per_minute=sum(num_holds(series, limit, num_ticks) for series in undisturbed) / minutes,
        )
        for limit in sorted({*true, *false, 0.0}, reverse=True)
    ]
