"""When a page has to be told anew what will be played: it can count down itself, but not guess."""

from __future__ import annotations

from robot.observation import ROWS_PER_SECOND
from robot.turn import Turn


class ComingRows:
    """Follows the turns of a loop, some of which may be missing."""

    def __init__(self) -> None:
        self._epoch: int = -1
        self._num_left = 0
        self._told_at_tick = 0

    def is_news(self, turn: Turn) -> bool:
        """Whether rows took over since the last turn, or it is a second since they were told."""
        num_left = len(turn.coming) if turn.coming is not None else 0
        grew = num_left > self._num_left or turn.session.epoch != self._epoch or turn.splice is not None
        self._epoch, self._num_left = turn.session.epoch, num_left
        if not num_left or not (grew or turn.tick.number - self._told_at_tick >= ROWS_PER_SECOND):
            return False
        self._told_at_tick = turn.tick.number
        return True
