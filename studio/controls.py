"""What is asked to compute a control before anything is made with it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from studio.requests import AspectRatio, Frozen
from studio.requests.fields import MediaId
from studio.requests.transfer_video import Strength

ComputedHint = Literal["edge", "blur"]
ControlTier = Literal["256", "480", "720"]


class ComputeControl(Frozen):
    """`POST /v1/controls`: the whole control of a clip, on the canvas and at the rate of the transfer that follows."""

    source_video: MediaId
    hint: ComputedHint = Field(description="edge or blur")
    strength: Strength = Field(default="medium", description="very_low, low, medium, high or very_high")
    resolution: ControlTier = Field(default="480", description="The tier: 256, 480 or 720")
    aspect_ratio: AspectRatio = Field(default="16:9", description="As in 4:3")
    fps: float = Field(default=24.0, ge=10, le=30, description="Frames per second of the clip")
