"""What to do when fresh rows stop coming: decelerate, hold, stop."""

from __future__ import annotations

from enum import StrEnum

from robot.chunk import STALE_AFTER_S

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
