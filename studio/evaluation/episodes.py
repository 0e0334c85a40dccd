"""What became of an episode in which a policy drove an arm."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from studio.requests import Frozen

Level = Literal["vague", "default", "specific"]
"""How much an instruction says, as in RoboLab (github.com/NVlabs/RoboLab, `instruction_type`)."""

TABLE = "simulated-table"
"""Name of the benchmark of the simulated table."""


def video_name(item: str) -> str:
    """Name of the video of an episode: of "simulated-table/default/7" simulated-table-default-7.mp4."""
    return f"{item.replace('/', '-')}.mp4"


class EpisodeResult(Frozen):
    """The text of an answer of the form "policy", as JSON. What nobody measured is none.

    Attributes:
        success: the task was done.
        score: share of its parts that were done, 0 to 1.
        reached: the hand was at the named object.
        grasped: the object left the table at the hand.
        lifted: it was held in the air.
        wrong_object: another object was lifted or grasped.
        stopped: code of the reason why the arm was stopped, as in "clamp_rate"; empty where it was not.
        seconds: from the start to the success, the stop or the time limit.
        answer_s: median time from an observation to the rows that answer it, in seconds.
        reason: why it ended, in words.
    """

    success: bool
    score: float | None = Field(default=None, ge=0, le=1)
    reached: bool | None = None
    grasped: bool | None = None
    lifted: bool | None = None
    wrong_object: bool | None = None
    stopped: str | None = None
    seconds: float | None = Field(default=None, ge=0)
    answer_s: float | None = Field(default=None, ge=0)
    reason: str = ""

    def to_text(self) -> str:
        """As an answer has it: what is none is left out."""
        return self.model_dump_json(exclude_none=True, exclude_defaults=True)
