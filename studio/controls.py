"""What is asked to compute a control before anything is made with it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from studio.requests import AspectRatio, Frozen
from studio.requests.fields import MediaId
from studio.requests.transfer_video import Strength

ComputedHint = Literal["edge", "blur"]
ControlTier = Literal["256", "480", "720"]


class ComputeControl(Frozen):
    """`POST /v1/controls`: the whole control of a clip, on the canvas and at the rate of the transfer that follows."""

    source_video: MediaId
    hint: ComputedHint
    strength: Strength = "medium"
    resolution: ControlTier = "480"
    aspect_ratio: AspectRatio = "16:9"
    fps: Annotated[float, Field(ge=10, le=30)] = 24.0
