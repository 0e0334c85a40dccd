"""What a file turned out to be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class MediaFacts:
    """What decoding a file showed.

    Attributes:
        width, height: pixels as it is shown, after rotation.
        num_frames, fps, duration_s: of a clip; fps is the mean where the rate varies.
        rotation: degrees clockwise, 0 to 270, that stored pixels are turned before they are shown.
    """

    type: Literal["image", "video"]
    mime: str
    width: int
    height: int
    num_frames: int | None = None
    fps: float | None = None
    duration_s: float | None = None
    has_sound: bool = False
    rotation: int = 0
