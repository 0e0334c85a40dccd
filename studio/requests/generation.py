"""What is asked of every request that becomes a job, beside its fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from studio.requests.frozen import Frozen


@dataclass(frozen=True)
class FrameSpan:
    """Which frames of a clip a request reads: at least `fewest`, at most `most`, at `fps`, from one end of it."""

    fewest: int
    most: int
    fps: float
    end: Literal["first", "last"] = "first"


class Generation(Frozen):
    """A request for pictures, clips or actions. A kind answers differently where it makes more than one picture."""

    @property
    def step_frames(self) -> float:
        """Latent frames that one pass of a denoising step computes; what else it computes counts as so many of them."""
        return 1

    @property
    def source_frames(self) -> FrameSpan:
        """Which frames of its source clip are read, by a kind that has one."""
        raise AssertionError(f"{type(self).__name__} reads no source clip")
