"""Which row comes next in one epoch: the player, the ladder, and what a mode waits for."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robot.chunk import LASTS_S, ActionChunk
from robot.commands import Run
from robot.playing import Player, Rung, Splice, rung, should_ask
from robot.playing.player import FADE_TICKS, HOLD_AFTER_S
from robot.tick_report import HoldReason
from studio.errors import Conflict

_REPLAYED_TICK, _PROPOSED_TICK = -1, -2
"""Of chunks that answer no observation of the loop's own."""


@dataclass(frozen=True)
class Choice:
    """What to do in this tick.

    Attributes:
        row: float64 [8], on the rung PLAY.
        waits_for: on every other one.
        finished: there is nothing more to replay.
    """

    rung: Rung
    row: NDArray[np.float64] | None = None
    waits_for: HoldReason = "policy"
    finished: bool = False


class Driver:
    """One epoch of a run. A new epoch has a new driver, so that nothing of the old one is ever played.

    Args:
        run: what was started.
        now_s: when the epoch began.
        held: what is waited for; nothing is asked and nothing is played meanwhile.
    """

    def __init__(self, run: Run, now_s: float, *, held: HoldReason | None = None) -> None:
        self.run = run
        self._held: HoldReason | None = held
        self._player = Player(speed=run.pace, fade_ticks=0 if run.mode == "replay" else FADE_TICKS)
        self._starved_since_s = now_s
        self._lost_since_s: float | None = None
        self._has_asked = False
        self._steps = 0
        self.pending: ActionChunk | None = None

    def replay(self, chunk: ActionChunk, resting: NDArray[np.float64], now_s: float) -> None:
        """Play these rows and nothing else; a recording does not age."""
        self._player.mark(_REPLAYED_TICK)
        self._player.splice(chunk, resting, now_s, math.inf)

    def wants_chunk(self, latency_rows: int | None) -> bool:
        """Whether the policy should be asked now."""
        waits_for_rows = not len(self.coming)
        if self._held is not None:
            return False
        match self.run.mode:
            case "replay":
                return False
            case "approve" | "step":
                return waits_for_rows and self.pending is None
            case _:
                chunk = self._player.chunk
                num_rows = len(chunk.rows) if chunk is not None else 0
                return (
                    waits_for_rows
                    or self._lost_since_s is not None
                    or should_ask(
                        self._player.played_rows,
                        len(self.coming) * self.run.pace,
                        self.run.horizon,
                        latency_rows,
                        num_rows,
                    )
                )

    def asked(self, tick: int, now_s: float) -> None:
        """A question about this tick left."""
        self._player.mark(tick)
        if not self._has_asked:
            self._has_asked, self._starved_since_s = True, now_s

    def offer(self, chunk: ActionChunk, resting: NDArray[np.float64], now_s: float) -> Splice | None:
        """Take a chunk: play it, or show it first."""
        self._lost_since_s = None
        if self.run.mode == "approve":
            if self.pending is None:  # what a person proposed meanwhile is not exchanged under their finger
                self.pending = chunk
            return None
        # In step mode it is a person who lets each row be played, whenever that is.
        return self._player.splice(chunk, resting, now_s, math.inf if self.run.mode == "step" else chunk.fresh_until_s)

    def propose(self, rows: NDArray[np.float64], epoch: int, now_s: float) -> None:
        """Show rows in place of the chunk that waits, float64 [n, 8], checked; they begin where the arm stands.

        Raises:
            Conflict: the run is of another mode, is held, or plays a chunk.
        """
        if self.run.mode != "approve":
            raise Conflict(f"The run is in {self.run.mode} mode; a chunk is proposed only in approve mode.")
        if self._held is not None or len(self.coming):
            what = "held" if self._held is not None else "playing a chunk"
            raise Conflict(f"The run is {what}.", hint="Propose a chunk while the arm waits for one.")
        self._player.mark(_PROPOSED_TICK)
        self.pending = ActionChunk(_PROPOSED_TICK, epoch, now_s, now_s, rows)

    def approve(self, resting: NDArray[np.float64], now_s: float) -> Splice | None:
        """A person said yes, and the chunk's time begins.

        Raises:
            Conflict: nothing is shown.
        """
        chunk = self._take_pending()
        return self._player.splice(chunk, resting, now_s, now_s + LASTS_S)

    def reject(self) -> None:
        """A person said no; the next question is asked at once.

        Raises:
            Conflict: nothing is shown.
        """
        self._take_pending()

    def step(self) -> None:
        """A person lets one more row be played.

        Raises:
            Conflict: the run is of another mode.
        """
        if self.run.mode != "step":
            raise Conflict(f"The run is in {self.run.mode} mode; rows are executed one at a time only in step mode.")
        self._steps += 1

    def choose(self, now_s: float, *, is_reachable: bool) -> Choice:
        """What to do now.

        Args:
            is_reachable: whether the policy is there. Once it was not, only an answer counts as a sign of life.
        """
        self._player.expire(now_s)
        if not is_reachable and self._lost_since_s is None:
            self._lost_since_s = now_s
        disconnected_s = 0.0 if self._lost_since_s is None else now_s - self._lost_since_s
        has_row = len(self.coming) > 0
        awaited = self._awaited_person(has_row)
        without_rows_s = 0.0 if has_row and awaited is None else now_s - self._starved_since_s
        if awaited is not None:  # A person may take their time: this never becomes a stop.
            if is_reachable:
                self._lost_since_s = None
            return Choice(Rung.REST if without_rows_s > HOLD_AFTER_S else Rung.COAST, waits_for=awaited)
        if self.run.mode == "replay":
            disconnected_s = 0.0
            if not has_row:
                return Choice(Rung.COAST, finished=True)
        found = rung(has_row=has_row, without_rows_s=without_rows_s, disconnected_s=disconnected_s)
        if found is Rung.PLAY:
            self._starved_since_s, self._steps = now_s, max(0, self._steps - 1)
            return Choice(found, self._player.next_row())
        if has_row:  # The server is gone: what it said before is not taken up again.
            self._player.flush()
        return Choice(found, waits_for="connection" if disconnected_s else "policy")

    def _awaited_person(self, has_row: bool) -> HoldReason | None:
        if self._held is not None:
            return self._held
        if self.pending is not None:
            return "approval"
        return "step" if self.run.mode == "step" and has_row and not self._steps else None

    @property
    def playing(self) -> tuple[int, float] | None:
        """The tick whose observation the chunk in play answers, and how many rows were played since it; or none."""
        chunk = self._player.chunk
        if chunk is None or chunk.tick < 0 or not len(self.coming):
            return None
        return chunk.tick, self._player.rows_since_observation

    @property
    def coming(self) -> NDArray[np.float64]:
        """What will be played next, float64 [ticks, 8]."""
        return self._player.coming

    def _take_pending(self) -> ActionChunk:
        if self.pending is None:
            raise Conflict("No action chunk is waiting for approval.")
        chunk, self.pending = self.pending, None
        return chunk
