"""When divergence ends in a hold: beyond the operator's limit for so many comparisons in a row, within one epoch."""

from __future__ import annotations

from robot.foresight.divergence import Divergence
from robot.foresight.watcher import Foreseen

VIEW_NAMES = ("wrist view", "exterior view 1", "exterior view 2")


class DivergenceGuard:
    """Counts. Lives on the loop's thread.

    It is never the only guard: where no frames are foreseen in time, it says nothing.
    """

    def __init__(self) -> None:
        self._counted: tuple[int, int] | None = None
        self._num_beyond = 0

    def judge(self, found: Foreseen | None, epoch: int, limit: float | None, num_ticks: int) -> str:
        """Why the arm is to hold; empty for no reason.

        Args:
            found: the newest comparison; one that was counted is not counted again.
            epoch: of the run. What belongs to another one counts nothing.
            limit: of the motion measure; none for no limit.
            num_ticks: how many comparisons in a row have to be beyond it.
        """
        if limit is None or found is None or found.moment.epoch != epoch:
            self._num_beyond = 0
            return ""
        key = found.moment.epoch, found.moment.tick
        if key == self._counted:
            return ""
        self._counted = key
        self._num_beyond = self._num_beyond + 1 if found.divergence.worst > limit else 0
        if self._num_beyond < num_ticks:
            return ""
        self._num_beyond = 0
        return _sentence(found.divergence, limit, num_ticks)


def _sentence(found: Divergence, limit: float, num_ticks: int) -> str:
    view = VIEW_NAMES[found.motion.index(found.worst)]
    return (
        f"The {view} differs from what the policy foresaw: divergence {found.worst:.2f} for {num_ticks} ticks, "
        f"limit {limit:g}."
    )
