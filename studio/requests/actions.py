"""Requests that deal in actions: what will be seen if they are taken (forward dynamics), which ones lead from frame to
frame of a clip (inverse dynamics), and which to take next (policy).
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self, cast

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from studio.requests.embodiments import EMBODIMENTS, EmbodimentName, ViewName, action_width
from studio.requests.fields import (
    AdapterField,
    CheckpointName,
    Count,
    MediaId,
    NegativePrompt,
    Prompt,
    SaveLatents,
    UseSystemPrompt,
)
from studio.requests.model import FormHint, FrameSpan, Generation, Makes, Takes
from studio.requests.sampling import FlowShift, Guidance, Sampling, Steps

ACTIONS_PER_LATENT = 4
"""Frames, and so actions, to a latent frame after the first."""

MAX_ACTIONS = 396


def _whole_groups(num_actions: int) -> int:
    if num_actions % ACTIONS_PER_LATENT:
        lower = num_actions - num_actions % ACTIONS_PER_LATENT
        options = f"{lower} or {lower + ACTIONS_PER_LATENT}" if lower else str(ACTIONS_PER_LATENT)
        raise ValueError(f"{num_actions} actions are not a multiple of four; use {options}")
    return num_actions


ActionValue = Annotated[float, Field(ge=-1e6, le=1e6)]
"""Metres, radians, pixels of a screen: nothing that acts is near this, and what is beyond it has no float32."""

ActionTier = Literal["256", "480", "704", "720"]

NumActions = Annotated[
    int,
    Field(ge=4, le=MAX_ACTIONS, title="Actions", description="transitions between frames, a multiple of four"),
    AfterValidator(_whole_groups),
    FormHint(step=4),
]


IdleFrames = Annotated[
    int | None,
    Field(
        ge=0,
        le=MAX_ACTIONS,
        title="Idle frames",
        description="frames in which the body does not move; 0 asks for constant motion, empty leaves it open",
    ),
    FormHint(fold=True),
]
"""A line of the caption that Edge-Policy was trained with, `idle_frame` (github.com/nvidia-cosmos/cosmos-framework)."""


def idle_frames_fit(idle_frames: int | None, num_actions: int) -> None:
    """Check that no more frames are idle than there are. Raises ValueError."""
    if idle_frames is not None and idle_frames > num_actions:
        raise ValueError(f"idle_frames is {idle_frames}; expected up to {num_actions}, the number of actions")


def state_fits(state: tuple[float, ...] | None, embodiment: EmbodimentName) -> None:
    """Check that a policy is told the state of its body, and only where that has one. Raises ValueError."""
    expected = EMBODIMENTS[embodiment].state_width
    if (state is None) != (expected == 0) or len(state or ()) != expected:
        came = "none" if state is None else f"{len(state)} values"
        wanted = f"{expected} values" if expected else "none"
        raise ValueError(f"state has {came}; {embodiment} expects {wanted}")


class ActionSampling(Sampling):
    """Sampling for actions: 50 steps, no guidance, shift 5 (technical report, table 21)."""

    num_inference_steps: Steps = 50
    guidance_scale: Guidance = 1.0
    flow_shift: FlowShift = 5.0


class ActionRequest(Generation):
    """A body that acts, the words it acts on, and the frames that it is seen in."""

    checkpoint: CheckpointName = None
    prompt: Prompt
    embodiment: Annotated[
        EmbodimentName,
        Field(title="Embodiment", description="the robot's action space; selects the model's weights for it"),
    ]
    action_width: Annotated[
        int | None,
        Field(
            ge=1,
            le=1024,
            title="Action width",
            description="values per action, for embodiments whose data set decides it",
        ),
        FormHint(hidden=True),
    ] = None
    view: Annotated[
        ViewName | None,
        Field(title="View", description="camera position; empty uses the embodiment's own"),
        FormHint(fold=True),
    ] = None
    resolution: Annotated[
        ActionTier,
        Field(title="Resolution", description="tier that frames are fitted into; frames are scaled down, never up"),
        FormHint(names=(("256", "256p"), ("480", "480p"), ("704", "704p"), ("720", "720p"))),
    ] = "256"
    fps: Annotated[
        float,
        Field(ge=1, le=60, title="Frame rate", description="actions and frames per second"),
        FormHint(unit="per s"),
    ] = 15.0
    sampling: ActionSampling = Field(default_factory=ActionSampling)
    count: Count = 1
    negative_prompt: NegativePrompt = ""
    use_system_prompt: UseSystemPrompt = False
    save_latents: SaveLatents = False
    adapter: AdapterField = None

    @property
    def step_frames(self) -> float:
        """Of 16 actions, and so 17 frames, five."""
        return cast("Any", self).num_actions // ACTIONS_PER_LATENT + 1  # a field, or what follows from one


def whole_groups_of_rows(actions: tuple[tuple[float, ...], ...], width: int) -> None:
    """Check rows of actions.

    Raises:
        ValueError: a row has another width, or the rows are not whole groups of four.
    """
    _whole_groups(len(actions))
    for index, row in enumerate(actions):
        if len(row) != width:
            raise ValueError(f"action {index} has {len(row)} values; expected {width}")


FORWARD_EXAMPLE: dict[str, Any] = {
    "prompt": "A robot arm lifts a red cube from a wooden table.",
    "embodiment": "bridge_orig_lerobot",
    "start_image": "u0123456789abcdef",
    "actions": [[0.0, 0.0, 0.01, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0]] * 4,
    "fps": 5,
}


class PredictVideo(ActionRequest):
    """Forward dynamics: predict video from a start image and actions.

    Actions are in the model's units, one row for each transition: 16 rows make 17 frames.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [FORWARD_EXAMPLE]})

    kind: Annotated[Literal["predict_video"], FormHint(hidden=True)] = "predict_video"
    start_image: Annotated[
        MediaId,
        Field(title="Start image", description="the frame before the first action"),
        FormHint(hidden=True),
        Takes("image"),
    ]
    actions: Annotated[
        tuple[tuple[ActionValue, ...], ...],
        Field(min_length=4, max_length=MAX_ACTIONS, title="Actions", description="one row per transition"),
        FormHint(hidden=True),
        Takes("actions"),
    ]
    idle_frames: IdleFrames = None

    @property
    def num_actions(self) -> int:
        """Rows of actions."""
        return len(self.actions)

    @model_validator(mode="after")
    def _actions_fit(self) -> Self:
        whole_groups_of_rows(self.actions, action_width(self.embodiment, self.action_width))
        idle_frames_fit(self.idle_frames, self.num_actions)
        return self


INVERSE_EXAMPLE: dict[str, Any] = {
    "prompt": "A robot arm lifts a red cube from a wooden table.",
    "embodiment": "umi",
    "source_video": "u0123456789abcdef",
    "num_actions": 16,
}


class PredictActions(ActionRequest):
    """Inverse dynamics: estimate the actions between a video's frames, in the model's units; 17 frames give 16 rows."""

    model_config = ConfigDict(json_schema_extra={"examples": [INVERSE_EXAMPLE]})

    kind: Annotated[Literal["predict_actions"], FormHint(hidden=True)] = "predict_actions"
    source_video: Annotated[
        MediaId,
        Field(title="Source video", description="the video to estimate actions from"),
        FormHint(hidden=True),
        Takes("video"),
    ]
    num_actions: NumActions = 16

    @property
    def source_frames(self) -> FrameSpan:
        """Actions lead from frame to frame; what is missing of later ones the engine repeats."""
        return FrameSpan(2, self.num_actions + 1, self.fps)

    @model_validator(mode="after")
    def _width_is_known(self) -> Self:
        action_width(self.embodiment, self.action_width)
        return self


POLICY_EXAMPLE: dict[str, Any] = {
    "prompt": "Lift the red cube.",
    "embodiment": "droid_joint_position",
    "start_image": "u0123456789abcdef",
    "state": [0.0, -0.6, 0.0, -2.5, 0.0, 1.9, 0.0, 1.0],
    "num_actions": 32,
    "decode_video": False,
}


class RunPolicy(ActionRequest):
    """Policy: plan actions, and predict frames, from a camera image and, for some embodiments, the arm's state.

    `state` is as the embodiment's actions are; for droid_joint_position seven joint positions in rad and the gripper,
    0 open to 1 closed.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [POLICY_EXAMPLE]})

    kind: Annotated[Literal["run_policy"], FormHint(hidden=True)] = "run_policy"
    start_image: Annotated[
        MediaId,
        Field(title="Camera image", description="what the robot sees now"),
        FormHint(hidden=True),
        Takes("image"),
    ]
    state: Annotated[
        tuple[ActionValue, ...] | None,
        Field(max_length=1024, title="State", description="the arm's current state, for embodiments that use it"),
        FormHint(hidden=True),
    ] = None
    num_actions: NumActions = 16
    decode_video: Annotated[
        bool,
        Field(title="Predicted frames", description="also decode the frames that the policy predicts"),
        Makes("video"),
    ] = True
    idle_frames: IdleFrames = None

    @model_validator(mode="after")
    def _state_fits(self) -> Self:
        action_width(self.embodiment, self.action_width)
        state_fits(self.state, self.embodiment)
        idle_frames_fit(self.idle_frames, self.num_actions)
        return self
