"""What a file turned out to be, and the bounds on what is accepted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from studio.errors import BadInput

MAX_SIDE = 8192
"""Pixels."""

MAX_PIXELS = 64 * 10**6
"""A picture of 64 megapixels takes 256 MB as Pillow holds it."""

MAX_CLIP_S = 600.0


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


def check_size(width: int, height: int) -> None:
    """Raises BadInput over `MAX_SIDE` or `MAX_PIXELS`; called before anything is decoded."""
    if max(width, height) > MAX_SIDE or width * height > MAX_PIXELS:
        raise BadInput(
            f"The file is {width}x{height} pixels; at most {MAX_SIDE} a side and {MAX_PIXELS // 10**6} megapixels "
            "are accepted.",
            param="file",
            hint="Scale it down.",
        )
