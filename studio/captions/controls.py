"""The media facts that stand in every caption: canvas, shape, length and frame rate."""

from __future__ import annotations

from math import gcd
from typing import Any

from pydantic import Field

from studio.requests import AspectRatio, Frozen, Resolution
from studio.rules import canvas


class VideoFacts(Frozen):
    """What a probe reads from a clip."""

    width: int = Field(ge=1)
    height: int = Field(ge=1)
    duration_s: float = Field(ge=0)
    fps: float = Field(gt=0)
    num_frames: int = Field(ge=0)


class Controls(Frozen):
    """The canvas of an image; with duration and frame rate, of a clip.

    Attributes:
        aspect_ratio: as captions write it, `16,9`.
        duration: as captions write it, whole seconds: `7s` (report, B.5; also what every serving stack puts there).
            None for an image.
        fps: frames per second. None for an image.
    """

    width: int = Field(ge=1, le=65_535)
    height: int = Field(ge=1, le=65_535)
    aspect_ratio: str = Field(pattern=r"^\d{1,5},\d{1,5}$")
    duration: str | None = Field(default=None, pattern=r"^\d{1,5}s$")
    fps: float | None = Field(default=None, gt=0, le=1000)

    @classmethod
    def of_image(cls, resolution: Resolution, aspect_ratio: AspectRatio) -> Controls:
        """The controls of an image request."""
        width, height = canvas(resolution, aspect_ratio)
        return cls(width=width, height=height, aspect_ratio=aspect_ratio.replace(":", ","))

    @classmethod
    def of_video(cls, resolution: Resolution, aspect_ratio: AspectRatio, num_frames: int, fps: float) -> Controls:
        """The controls of a video request; its duration is cut to whole seconds, 189 frames at 24 are `7s`."""
        still = cls.of_image(resolution, aspect_ratio)
        return still.model_copy(update={"duration": f"{int(num_frames / fps)}s", "fps": float(fps)})

    @classmethod
    def of_clip(cls, facts: VideoFacts) -> Controls:
        """What a caption of a recorded clip says: 17.4 s are `17s`, 1920x1080 is `16,9` (SFT data format)."""
        shared = gcd(facts.width, facts.height)
        return cls(
            width=facts.width,
            height=facts.height,
            aspect_ratio=f"{facts.width // shared},{facts.height // shared}",
            duration=f"{round(facts.duration_s)}s",
            fps=float(max(1, round(facts.fps))),
        )

    @property
    def last_s(self) -> int | None:
        """The last whole second that may be named in a caption: the one its duration names. None for an image."""
        return None if self.duration is None else int(self.duration.removesuffix("s"))

    @property
    def media(self) -> dict[str, Any]:
        """The fields as they stand in the caption."""
        fields: dict[str, Any] = {
            "resolution": {"H": self.height, "W": self.width},
            "aspect_ratio": self.aspect_ratio,
        }
        if self.duration is not None:
            fields["duration"] = self.duration
        if self.fps is not None:
            fields["fps"] = int(self.fps) if self.fps.is_integer() else self.fps
        return fields
