"""One row a tick, from chunks that arrive late."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robot.chunk import ActionChunk
from robot.observation import NUM_JOINTS, ROW_WIDTH, ROWS_PER_SECOND
from robot.playing.rows import cross_fade, stretch

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
        self._entered_at = 0.0
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
        self._chunk, self._entered_at, self._until_s = chunk, self._consumed, until_s
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


def _ticks_within(seconds: float) -> int | None:
    """How many ticks begin within a time, one of them now: 2 within 0.07 s; none for all that there are."""
    if seconds == math.inf:
        return None
    return max(0, math.floor(seconds * ROWS_PER_SECOND + 1e-9) + 1)
