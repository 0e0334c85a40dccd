"""A clip that follows other clips: outlines, blur, depth, segmentation, a world scenario."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from studio.requests.fields import CheckpointName, Count, MediaId, NegativePrompt, Prompt, Shape, Size
from studio.requests.frames import WholeGroups
from studio.requests.frozen import Frozen
from studio.requests.hints import FormHint
from studio.requests.sampling import FlowShift, Guidance, Sampling, Steps

HintName = Literal["edge", "blur", "depth", "seg", "wsm"]
"""In the order in which the model was shown them; wsm is a world scenario map."""

HINT_ORDER: tuple[HintName, ...] = ("edge", "blur", "depth", "seg", "wsm")


class Control(Frozen):
    """One clip to follow."""

    hint: HintName
    video: MediaId
    weight: Annotated[float, Field(ge=0, le=100, title="Weight", description="share of its attention")] = 1.0


class TransferSampling(Sampling):
    """For transfer: 50 steps, guidance 3 by words and 1.5 by controls, shift 10 (technical report, table 21)."""

    num_inference_steps: Steps = 50
    guidance_scale: Guidance = 3.0
    flow_shift: FlowShift = 10.0
    control_guidance: Annotated[
        float, Field(ge=0, le=20, title="Control guidance", description="pull towards the controls; 1 turns it off")
    ] = 1.5
    control_guidance_interval: Annotated[
        tuple[float, float] | None,
        Field(title="Control guidance interval", description="likewise, between these two timesteps, both included"),
        FormHint(hidden=True),
    ] = None

    @model_validator(mode="after")
    def _control_interval_rises(self) -> Self:
        if self.control_guidance_interval is not None:
            low, high = self.control_guidance_interval
            if not 0 <= low <= high <= 1001:
                raise ValueError(
                    f"control_guidance_interval is [{low:g}, {high:g}]; it takes [low, high] with 0 <= low <= high <= "
                    "1001"
                )
        return self


class TransferVideo(Frozen):
    """Words and controls to a clip as long as its controls.

    A long clip is made in chunks; each starts with the last `num_overlap_frames` of the one before. Of `source_video`
    the first `num_source_frames` are kept.

    Several controls are seen one at a time and what they say is averaged with their weights, or all at once
    ("joint"), which knows no weights.
    """

    kind: Annotated[Literal["transfer_video"], FormHint(hidden=True)] = "transfer_video"
    checkpoint: CheckpointName = None
    prompt: Prompt
    controls: Annotated[tuple[Control, ...], Field(min_length=1, max_length=5), FormHint(hidden=True)]
    control_attention: Annotated[Literal["averaged", "joint"], Field(title="Several controls"), FormHint(fold=True)] = (
        "averaged"
    )
    source_video: Annotated[MediaId | None, Field(title="Start from"), FormHint(hidden=True)] = None
    num_source_frames: Annotated[int, Field(ge=0, le=397, title="Kept frames"), FormHint(hidden=True)] = 0
    aspect_ratio: Shape = "16:9"
    resolution: Size = "480"
    num_frames: Annotated[
        int | None, Field(ge=1, le=100_000, title="Length", description="none is as long as the controls")
    ] = None
    fps: Annotated[float, Field(ge=10, le=30, title="Frame rate", description="frames per second")] = 24.0
    num_chunk_frames: Annotated[WholeGroups, Field(ge=5, le=397, title="Chunk")] = 93
    num_overlap_frames: Annotated[int, Field(ge=1, le=396, title="Overlap"), FormHint(fold=True)] = 1
    sampling: TransferSampling = Field(default_factory=TransferSampling)
    count: Count = 1
    negative_prompt: NegativePrompt = ""
    save_latents: bool = False

    @model_validator(mode="after")
    def _controls_agree(self) -> Self:
        hints = [control.hint for control in self.controls]
        if repeated := {hint for hint in hints if hints.count(hint) > 1}:
            raise ValueError(f"controls name {sorted(repeated)[0]} twice; each hint is given once")
        weights = [control.weight for control in self.controls]
        if self.control_attention == "joint" and len(set(weights)) > 1:
            raise ValueError('weights differ, and control_attention "joint" knows none; use "averaged"')
        if not any(weights):
            raise ValueError("every weight is 0; at least one control must count")
        return self

    @model_validator(mode="after")
    def _chunks_move_on(self) -> Self:
        if self.num_overlap_frames >= self.num_chunk_frames:
            raise ValueError(
                f"num_overlap_frames is {self.num_overlap_frames}; it must be below num_chunk_frames, "
                f"{self.num_chunk_frames}"
            )
        if self.num_source_frames and self.source_video is None:
            raise ValueError("num_source_frames is given without source_video")
        return self
