"""What a person may start: the instruction, and how it is carried out."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from robot.playing.prefetch import MAX_HORIZON
from studio.requests import Frozen

Mode = Literal["live", "rehearsal", "shadow", "approve", "step", "replay"]
"""live moves as the policy says, rehearsal slower on the same path, shadow asks and draws and does not move, approve
plays a chunk after a person said so, step one row at a time, replay the rows of a recorded episode."""


class Run(Frozen):
    """One instruction.

    Attributes:
        prompt: what to do, in words.
        horizon: rows of a chunk that are played before the next one takes over.
        speed: rows a tick in rehearsal and replay; time is stretched, nothing is clipped. The others run at 1.
        record: whether it becomes an episode.
        episode: the recorded one to replay.
    """

    prompt: Annotated[str, Field(max_length=4096)] = ""
    mode: Mode = "live"
    horizon: Annotated[int, Field(ge=1, le=MAX_HORIZON)] = 16
    speed: Annotated[float, Field(ge=0.1, le=1)] = 0.3
    record: bool = False
    episode: Annotated[int, Field(ge=0)] | None = None

    @property
    def pace(self) -> float:
        """Rows a tick."""
        return self.speed if self.mode in ("rehearsal", "replay") else 1.0
