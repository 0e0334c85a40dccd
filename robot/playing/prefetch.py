"""When to ask for the next chunk, so that it comes before the rows run out."""

from __future__ import annotations

import math
from collections import deque

import numpy as np

from robot.chunk import MAX_ROWS
from robot.observation import ROWS_PER_SECOND

MAX_HORIZON = MAX_ROWS
MARGIN_ROWS = 1
NUM_KEPT = 40


class Latency:
    """How long answers take, from the observation to the rows; the newest 40. A warm-up is not to be counted."""

    def __init__(self) -> None:
        self._seconds: deque[float] = deque(maxlen=NUM_KEPT)

    def add(self, seconds: float) -> None:
        """One answer's."""
        self._seconds.append(seconds)

    def percentile_s(self, percent: float) -> float | None:
        """Seconds; none while nothing was measured."""
        return float(np.percentile(self._seconds, percent, method="higher")) if self._seconds else None

    def rows(self, speed: float = 1.0) -> int | None:
        """How many rows are played within the 95th percentile: 0.5 s are 8 at full speed."""
        p95_s = self.percentile_s(95)
        return None if p95_s is None else math.ceil(p95_s * ROWS_PER_SECOND * speed - 1e-9)


def should_ask(
    played_rows: float, rows_left: float, horizon: int, latency_rows: int | None, num_rows: int = MAX_HORIZON
) -> bool:
    """Whether it is time to ask for the next chunk.

    The horizon says how many rows of a chunk are played before the next one takes over. The rows after it are a reserve
    for answers that come late. With a horizon of 16 and answers that take 5 rows, the question leaves after 10.
    Answers that take longer than a whole chunk lasts are asked for at its end: what is asked before would be overtaken.

    Args:
        played_rows: of the current chunk, since it took over.
        rows_left: of the current chunk.
        horizon: 1 to 32.
        latency_rows: what an answer takes; none while that is unknown.
        num_rows: of a chunk.
    """
    if latency_rows is None or latency_rows >= num_rows:
        return rows_left <= 0
    needed = latency_rows + MARGIN_ROWS
    return played_rows >= horizon - needed or rows_left <= needed


def largest_gapless_horizon(latency_p95_s: float, num_rows: int = MAX_HORIZON) -> int:
    """The longest horizon with which the rows never run out; 0 for none, and the arm stops and goes.

    A chunk is entered as many rows late as its answer took: of 32 rows and 1.06 s, 16 are left to be played.
    """
    return max(0, num_rows - math.ceil(latency_p95_s * ROWS_PER_SECOND - 1e-9))
