"""Which actions lead from frame to frame of a clip (inverse dynamics)."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from studio.requests.action_fields import (
    ActionFps,
    ActionSampling,
    ActionTier,
    ActionWidth,
    EmbodimentField,
    NumActions,
    View,
)
from studio.requests.embodiments import action_width
from studio.requests.fields import CheckpointName, Count, MediaId, NegativePrompt, Prompt, UseSystemPrompt
from studio.requests.frozen import Frozen
from studio.requests.hints import FormHint


class PredictActions(Frozen):
    """A clip to the actions between its frames, in the model's units; of 17 frames 16 rows."""

    kind: Annotated[Literal["predict_actions"], FormHint(hidden=True)] = "predict_actions"
    checkpoint: CheckpointName = None
    prompt: Prompt
    source_video: Annotated[MediaId, Field(title="Clip"), FormHint(hidden=True)]
    embodiment: EmbodimentField
    num_actions: NumActions = 16
    action_width: ActionWidth = None
    view: View = None
    resolution: ActionTier = "256"
    fps: ActionFps = 15.0
    sampling: ActionSampling = Field(default_factory=ActionSampling)
    count: Count = 1
    negative_prompt: NegativePrompt = ""
    use_system_prompt: UseSystemPrompt = False

    @model_validator(mode="after")
    def _width_is_known(self) -> Self:
        action_width(self.embodiment, self.action_width)
        return self
