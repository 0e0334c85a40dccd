"""A clip that follows other clips: outlines, blur, depth, segmentation, a world scenario."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from studio.requests.fields import (
    AdapterField,
    AspectRatio,
    CheckpointName,
    Count,
    MediaId,
    NegativePrompt,
    Prompt,
    SaveLatents,
    Shape,
    Size,
    Upsample,
    WrittenFrom,
)
from studio.requests.frames import NumFrames, latent_frames, whole_groups
from studio.requests.model import FormHint, Frozen, Generation, Takes
from studio.requests.sampling import FlowShift, Guidance, Sampling, Steps, check_interval

HintName = Literal["edge", "blur", "depth", "seg", "wsm"]
"""In the order in which the model was shown them; wsm is a world scenario map."""

HINT_ORDER: tuple[HintName, ...] = ("edge", "blur", "depth", "seg", "wsm")

FilteredHint = Literal["edge", "blur"]
"""Computed from any video by a filter, frame by frame."""

PerceivedHint = Literal["depth", "seg"]
"""Computed by a model of its own, which is pulled first."""

ComputedHint = Literal["edge", "blur", "depth", "seg"]
COMPUTED_HINTS: tuple[HintName, ...] = ("edge", "blur", "depth", "seg")
"""What can be computed from any video; a world scenario map is given."""

MAX_FRAMES = 5000
"""Of one clip in chunks; NVIDIA's framework stops there too (`max_frames`)."""

Strength = Literal["very_low", "low", "medium", "high", "very_high"]
"""How much of the source a computed control leaves out: of outlines the faint ones, of blur the detail."""


class Control(Frozen):
    """One control video, given or computed from the request's `source_video`."""

    hint: HintName
    video: Annotated[
        MediaId | None,
        Field(title="Control video", description="leave empty to compute it from the source video"),
        Takes("video"),
    ] = None
    strength: Annotated[
        Strength | None, Field(title="Strength", description="of computed edges or blur; empty is medium")
    ] = None
    weight: Annotated[float, Field(ge=0, le=100, title="Weight", description="weight of this control")] = 1.0

    @model_validator(mode="after")
    def _given_or_computed(self) -> Self:
        if self.video is None and self.hint not in COMPUTED_HINTS:
            raise ValueError(
                f"{self.hint} has no video; only {', '.join(COMPUTED_HINTS[:-1])} and {COMPUTED_HINTS[-1]} can be "
                "computed, so send a control video"
            )
        if self.strength is not None and self.hint in ("depth", "seg"):
            raise ValueError(f"{self.hint} has a strength; only edge and blur have one")
        if self.video is not None and self.strength is not None:
            raise ValueError(f"{self.hint} has a video and a strength; strength applies only to a computed control")
        return self


class TransferSampling(Sampling):
    """For transfer: 50 steps, guidance 3 for the prompt and 1.5 for controls, shift 10 (technical report, table 21)."""

    num_inference_steps: Steps = 50
    guidance_scale: Guidance = 3.0
    flow_shift: FlowShift = 10.0
    control_guidance: Annotated[
        float,
        Field(
            ge=0,
            le=20,
            title="Control guidance scale",
            description="how strongly to follow the controls; 1 turns it off",
        ),
    ] = 1.5
    control_guidance_interval: Annotated[
        tuple[float, float] | None,
        Field(
            title="Control guidance interval",
            description="apply control guidance only between these two timesteps, inclusive",
        ),
        FormHint(hidden=True),
    ] = None

    @property
    def num_passes(self) -> int:
        """One more for guidance by controls."""
        return super().num_passes + (self.control_guidance != 1)

    @model_validator(mode="after")
    def _control_interval_rises(self) -> Self:
        check_interval("control_guidance_interval", self.control_guidance_interval)
        return self


EXAMPLE: dict[str, Any] = {
    "prompt": "A robot arm lifts a red cube from a wooden table.",
    "source_video": "u0123456789abcdef",
    "controls": [{"hint": "edge", "strength": "medium"}, {"hint": "blur", "weight": 0.5}],
}


class TransferVideo(Generation):
    """Generate a video that follows a prompt and control videos.

    A long clip is made in chunks; each starts with the last `num_overlap_frames` of the one before. From `source_video`
    come the controls that are computed, and its first `num_source_frames` are kept as the clip's own.

    Several controls are seen one at a time and what they say is averaged with their weights, or all at once
    ("joint"), which knows no weights.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    kind: Annotated[Literal["transfer_video"], FormHint(hidden=True)] = "transfer_video"
    checkpoint: CheckpointName = None
    prompt: Prompt
    controls: Annotated[
        tuple[Control, ...],
        Field(
            min_length=1, max_length=5, title="Controls", description="control videos to follow, at most one per type"
        ),
        FormHint(hidden=True),
    ]
    control_attention: Annotated[
        Literal["averaged", "joint"],
        Field(title="Combine controls", description="attend to each control separately and average, or to all jointly"),
        FormHint(fold=True),
    ] = "averaged"
    source_video: Annotated[
        MediaId | None,
        Field(title="Source video", description="controls are computed from it; its first frames can be kept"),
        FormHint(hidden=True),
        Takes("video"),
    ] = None
    num_source_frames: Annotated[
        int,
        Field(ge=0, le=397, title="Kept frames", description="start with this many frames of the source video"),
        FormHint(hidden=True),
    ] = 0
    aspect_ratio: Shape = "16:9"
    resolution: Size = "480"
    num_frames: Annotated[
        int | None,
        Field(
            ge=1, le=MAX_FRAMES, title="Length", description="number of frames; leave empty to match the control video"
        ),
    ] = None
    fps: Annotated[float, Field(ge=10, le=30, title="Frame rate", description="frames per second")] = 24.0
    num_chunk_frames: Annotated[NumFrames, Field(title="Chunk", description="frames generated at a time")] = 93
    num_overlap_frames: Annotated[
        int,
        Field(ge=1, le=396, title="Overlap", description="frames that a chunk shares with the previous chunk"),
        FormHint(fold=True),
    ] = 1
    sampling: TransferSampling = Field(default_factory=TransferSampling)
    count: Count = 1
    negative_prompt: NegativePrompt = ""
    save_latents: SaveLatents = False
    upsample: Upsample = False
    written_from: WrittenFrom = None
    adapter: AdapterField = None

    @property
    def step_frames(self) -> float:
        """Latent frames of a chunk, and as many of each control."""
        return latent_frames(self.num_frames or self.num_chunk_frames) * (1 + len(self.controls))

    def num_made_frames(self, length: int) -> int:
        """Frames of the clip where the controls have `length`."""
        return length if self.num_frames is None else min(length, self.num_frames)

    def num_frames_at_once(self, length: int) -> int:
        """Frames of each chunk, 4k+1, where the controls have `length`; the last may be longer than what is left."""
        return min(self.num_chunk_frames, whole_groups(self.num_made_frames(length)))

    @model_validator(mode="after")
    def _controls_agree(self) -> Self:
        hints = [control.hint for control in self.controls]
        if repeated := {hint for hint in hints if hints.count(hint) > 1}:
            raise ValueError(f"controls name {sorted(repeated)[0]} twice; send each type once")
        weights = [control.weight for control in self.controls]
        if self.control_attention == "joint" and set(weights) != {1.0}:
            raise ValueError('weights are given, but control_attention "joint" does not use weights; use "averaged"')
        if not any(weights):
            raise ValueError("every weight is 0; at least one must be above 0")
        return self

    @model_validator(mode="after")
    def _chunks_move_on(self) -> Self:
        if self.num_overlap_frames >= self.num_chunk_frames:
            raise ValueError(
                f"num_overlap_frames is {self.num_overlap_frames}; it must be below num_chunk_frames, "
                f"{self.num_chunk_frames}"
            )
        return self

    @model_validator(mode="after")
    def _source_is_there(self) -> Self:
        if self.source_video is None:
            computed = [control.hint for control in self.controls if control.video is None]
            if computed:
                raise ValueError(
                    f"{computed[0]} has no video and there is no source_video to compute it from; send one of them"
                )
            if self.num_source_frames:
                raise ValueError("num_source_frames needs a source_video, and none was sent")
        return self


ControlTier = Literal["256", "480", "720"]


class ComputeControl(Frozen):
    """`POST /v1/controls`: the control computed from a whole video, at the size and frame rate of the transfer."""

    source_video: MediaId
    hint: ComputedHint = Field(description="edge, blur, depth or seg")
    strength: Strength = Field(
        default="medium", description="Of edge and blur: very_low, low, medium, high or very_high"
    )
    resolution: ControlTier = Field(default="480", description="The tier: 256, 480 or 720")
    aspect_ratio: AspectRatio = Field(default="16:9", description="As in 4:3")
    fps: float = Field(default=24.0, ge=10, le=30, description="Frames per second of the video")
