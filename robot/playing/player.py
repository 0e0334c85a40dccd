"""One row a tick, from chunks that arrive late.

Here is also when the next chunk is asked for, and what is done when fresh rows stop coming.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from robot.chunk import MAX_ROWS, STALE_AFTER_S, ActionChunk
from robot.observation import NUM_JOINTS, ROW_WIDTH, ROWS_PER_SECOND
from robot.playing.rows import cross_fade, stretch

HOLD_AFTER_S = 1.0
STOP_AFTER_S = STALE_AFTER_S


class Rung(StrEnum):
    """What an arm does, from the best to the worst."""

    PLAY = "play"
    """There is a row for this tick."""

    COAST = "coast"
    """There is none: it decelerates and holds its last target. Normal where a chunk takes longer than it lasts."""

    REST = "rest"
    """It is told to come to rest where it is."""

    STOP = "stop"
    """It is stopped, and only a person lets it go on."""


def rung(*, has_row: bool, without_rows_s: float, disconnected_s: float) -> Rung:
    """Where a run stands.

    Args:
        has_row: whether the player has a row for this tick.
        without_rows_s: how long it has had none; 0 while it has.
        disconnected_s: since the policy went out of reach, until it answers; being there again is no answer.
    """
    worst_s = max(without_rows_s, disconnected_s)
    if worst_s > STOP_AFTER_S:
        return Rung.STOP
    if worst_s > HOLD_AFTER_S:
        return Rung.REST
    return Rung.PLAY if has_row else Rung.COAST


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


FADE_TICKS = 4


@dataclass(frozen=True)
class Splice:
    """How a chunk took over.

    Attributes:
        skipped_rows: how many of its rows had been overtaken; where it was entered.
        jump_rad: by how much its first row and the one it replaced differ, the largest joint.
    """

    skipped_rows: float
    jump_rad: float


class Player:
    """Plays the newest chunk, entered where the rows played since its observation say.

    Not by the clock: while an arm holds, no row is overtaken. A chunk whose observation was marked when 5 rows had been
    played, and that comes when 11 have, is entered at its seventh row.

    How long its rows may be played is the clock's alone: they are dropped when their time is over, however few of them
    were played at a low speed, or while the machine stood still.

    Args:
        speed: rows a tick, above 0 and at most 1.
        fade_ticks: over how many ticks a new chunk takes over.
    """

    def __init__(self, *, speed: float = 1.0, fade_ticks: int = FADE_TICKS) -> None:
        self._speed = speed
        self._fade_ticks = fade_ticks
        self._consumed = 0.0
        self._marks: dict[int, float] = {}
        self._entered_at = self._observed_at = 0.0
        self._chunk: ActionChunk | None = None
        self._future = np.empty((0, ROW_WIDTH))
        self._until_s = 0.0

    def mark(self, tick: int) -> None:
        """Remember how far things were when an observation was taken, before its own tick's row is played."""
        self._marks[tick] = self._consumed

    def splice(self, chunk: ActionChunk, resting: NDArray[np.float64], now_s: float, until_s: float) -> Splice | None:
        """Let a chunk take over; none when its observation is unknown or none of its rows can be played any more.

        Args:
            chunk: with rows that were checked.
            resting: float64 [8], the row that was executed last.
            now_s: when its first row may be played.
            until_s: the latest moment at which a row of it may be.
        """
        self.expire(now_s)
        mark = self._marks.pop(chunk.tick, None)
        if mark is None:
            return None
        skipped = self._consumed - mark
        rows = stretch(chunk.rows, skipped, self._speed, resting)[: _ticks_within(until_s - now_s)]
        if not len(rows):
            return None
        replaced = self._future[0] if len(self._future) else resting
        jump_rad = float(np.abs(rows[0] - replaced)[:NUM_JOINTS].max())
        self._future = cross_fade(self._future, rows, resting, self._fade_ticks)
        self._chunk, self._entered_at, self._observed_at = chunk, self._consumed, mark
        self._until_s = until_s
        self._marks = {tick: consumed for tick, consumed in self._marks.items() if tick > chunk.tick}
        return Splice(skipped, jump_rad)

    def expire(self, now_s: float) -> None:
        """Drop the rows whose time will be over when their turn comes."""
        self._future = self._future[: _ticks_within(self._until_s - now_s)]

    def next_row(self) -> NDArray[np.float64] | None:
        """The row of this tick, float64 [8]; none when the chunk is exhausted."""
        if not len(self._future):
            return None
        row, self._future = self._future[0], self._future[1:]
        self._consumed += self._speed
        return row

    def flush(self) -> None:
        """Forget every row and every mark."""
        self._marks.clear()
        self._chunk = None
        self._future = np.empty((0, ROW_WIDTH))

    @property
    def coming(self) -> NDArray[np.float64]:
        """What will be played unless something newer comes, float64 [ticks, 8]."""
        return self._future

    @property
    def chunk(self) -> ActionChunk | None:
        """The one that is played, or was last."""
        return self._chunk

    @property
    def played_rows(self) -> float:
        """Of the current chunk, since it took over."""
        return self._consumed - self._entered_at

    @property
    def rows_since_observation(self) -> float:
        """Played since the observation that the current chunk answers, of this chunk and the one before it."""
        return self._consumed - self._observed_at


def _ticks_within(seconds: float) -> int | None:
    """How many ticks begin within a time, one of them now: 2 within 0.07 s; none for all that there are."""
    if seconds == math.inf:
        return None
    return max(0, math.floor(seconds * ROWS_PER_SECOND + 1e-9) + 1)
