"""A clip from a prompt, from a prompt and a first picture, or from a prompt and the frames of another clip."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from studio.requests.fields import (
    AdapterField,
    CheckpointName,
    Count,
    MediaId,
    NegativePrompt,
    Prompt,
    SaveLatents,
    Shape,
    Size,
    Upsample,
    UseDurationTemplate,
    UseResolutionTemplate,
    UseSystemPrompt,
    WrittenFrom,
)
from studio.requests.frames import NumFrames, frames_up_to, latent_frames
from studio.requests.model import FormHint, FrameSpan, Generation, Makes, Takes
from studio.requests.sampling import VideoSampling

KEPT = (0, 1)
"""Latent frames of a source that stay unless a request says otherwise: its first five frames."""


EXAMPLE: dict[str, Any] = {
    "prompt": "A robot arm lifts a red cube from a wooden table.",
    "start_image": "u0123456789abcdef",
    "num_frames": 17,
    "fps": 24,
    "sound": True,
}


class GenerateVideo(Generation):
    """Text, image or video to video, with or without sound.

    `start_image` is kept as the first frame. Of `source_video` the latent frames in `condition_frames` are kept, taken
    from the first or the last end of it; two latent frames are five frames. Everything else is denoised.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    kind: Annotated[Literal["generate_video"], FormHint(hidden=True)] = "generate_video"
    checkpoint: CheckpointName = None
    prompt: Prompt
    start_image: Annotated[
        MediaId | None,
        Field(title="Start image", description="the first frame of the video"),
        FormHint(hidden=True),
        Takes("image"),
    ] = None
    source_video: Annotated[
        MediaId | None,
        Field(title="Source video", description="the video to continue"),
        FormHint(hidden=True),
        Takes("video"),
    ] = None
    condition_frames: Annotated[
        tuple[Annotated[int, Field(ge=0)], ...],
        Field(
            min_length=1, max_length=100, title="Kept frames", description="latent frames of the source video to keep"
        ),
        FormHint(hidden=True),
    ] = KEPT
    condition_end: Annotated[
        Literal["first", "last"],
        Field(title="Kept end", description="keep frames from the first or the last part of the source video"),
        FormHint(hidden=True),
    ] = "first"
    aspect_ratio: Shape = "16:9"
    resolution: Size = "480"
    num_frames: Annotated[NumFrames, Field(title="Length", description="number of frames: 1 plus a multiple of 4")] = (
        189
    )
    fps: Annotated[float, Field(ge=10, le=30, title="Frame rate", description="frames per second")] = 24.0
    sound: Annotated[
        bool, Field(title="Sound", description="generate sound together with the video"), Makes("sound")
    ] = False
    sampling: VideoSampling = Field(default_factory=VideoSampling)
    count: Count = 1
    negative_prompt: NegativePrompt = ""
    use_system_prompt: UseSystemPrompt = False
    use_resolution_template: UseResolutionTemplate = True
    use_duration_template: UseDurationTemplate = True
    save_latents: SaveLatents = False
    upsample: Upsample = False
    written_from: WrittenFrom = None
    adapter: AdapterField = None

    @property
    def num_latent_frames(self) -> int:
        """Latent frames: 17 frames are 5."""
        return latent_frames(self.num_frames)

    @property
    def num_condition_frames(self) -> int:
        """Frames of the source, from the end that is kept, up to the last latent frame that is: of (0, 1) 5."""
        return frames_up_to(max(self.condition_frames))

    @property
    def step_frames(self) -> float:
        """Its latent frames; sound adds a tenth."""
        return self.num_latent_frames * (1.1 if self.sound else 1)

    @property
    def source_frames(self) -> FrameSpan:
        """Up to the last frame that is kept: of latent frames 0 and 1 five."""
        return FrameSpan(self.num_condition_frames, self.num_condition_frames, self.fps, self.condition_end)

    @model_validator(mode="after")
    def _one_start(self) -> Self:
        if self.start_image is not None and self.source_video is not None:
            raise ValueError("start_image and source_video are both given; send one of them")
        if self.source_video is None and (self.condition_frames, self.condition_end) != (KEPT, "first"):
            raise ValueError("condition_frames and condition_end need a source_video, and none was sent")
        if self.source_video is not None and max(self.condition_frames) >= self.num_latent_frames:
            raise ValueError(
                f"condition_frames names latent frame {max(self.condition_frames)}; "
                f"{self.num_frames} frames have 0 to {self.num_latent_frames - 1}"
            )
        return self
