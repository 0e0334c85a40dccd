"""What every request that deals in actions has in common."""

from __future__ import annotations

from typing import Annotated, Any, Literal, cast

from pydantic import AfterValidator, Field

from studio.requests.adapter import AdapterField
from studio.requests.embodiments import EmbodimentName, ViewName
from studio.requests.fields import CheckpointName, Count, NegativePrompt, Prompt, SaveLatents, UseSystemPrompt
from studio.requests.generation import Generation
from studio.requests.hints import FormHint
from studio.requests.sampling import FlowShift, Guidance, Sampling, Steps

ACTIONS_PER_LATENT = 4
"""Frames, and so actions, to a latent frame after the first."""

MAX_ACTIONS = 396


def _whole_groups(num_actions: int) -> int:
    if num_actions % ACTIONS_PER_LATENT:
        lower = num_actions - num_actions % ACTIONS_PER_LATENT
        options = f"{lower} or {lower + ACTIONS_PER_LATENT}" if lower else str(ACTIONS_PER_LATENT)
        raise ValueError(f"{num_actions} actions are not whole groups of four; use {options}")
    return num_actions


ActionValue = Annotated[float, Field(ge=-1e6, le=1e6)]
"""Metres, radians, pixels of a screen: nothing that acts is near this, and what is beyond it has no float32."""

ActionTier = Literal["256", "480", "704", "720"]

NumActions = Annotated[
    int,
    Field(ge=4, le=MAX_ACTIONS, title="Actions", description="transitions, in groups of four"),
    AfterValidator(_whole_groups),
    FormHint(step=4),
]
Actions = Annotated[
    tuple[tuple[float, ...], ...],
    Field(min_length=4, max_length=MAX_ACTIONS, title="Actions", description="a row for each transition"),
    FormHint(hidden=True),
]


class ActionSampling(Sampling):
    """For actions: 50 steps, no guidance, shift 5 (technical report, table 21)."""

    num_inference_steps: Steps = 50
    guidance_scale: Guidance = 1.0
    flow_shift: FlowShift = 5.0


class ActionRequest(Generation):
    """A body that acts, the words it acts on, and the frames that it is seen in."""

    checkpoint: CheckpointName = None
    prompt: Prompt
    embodiment: Annotated[
        EmbodimentName, Field(title="Embodiment", description="whose actions they are: it picks the model's weights")
    ]
    action_width: Annotated[
        int | None,
        Field(ge=1, le=1024, title="Action width", description="values of one action, where the data set decides"),
        FormHint(hidden=True),
    ] = None
    view: Annotated[
        ViewName | None,
        Field(title="View", description="where the camera stands; none takes the embodiment's own"),
        FormHint(fold=True),
    ] = None
    resolution: Annotated[
        ActionTier,
        Field(title="Size", description="the tier that frames are fitted into; they are shrunk and never enlarged"),
        FormHint(names=(("256", "256p"), ("480", "480p"), ("704", "704p"), ("720", "720p"))),
    ] = "256"
    fps: Annotated[
        float, Field(ge=1, le=60, title="Rate", description="actions, and frames, per second"), FormHint(unit="per s")
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
            raise ValueError(f"action {index} has {len(row)} values; {width} are expected")
