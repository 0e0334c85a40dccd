"""What will be seen if these actions are taken (forward dynamics)."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from studio.requests.action_fields import (
    ActionFps,
    Actions,
    ActionSampling,
    ActionTier,
    ActionWidth,
    EmbodimentField,
    View,
    whole_groups_of_rows,
)
from studio.requests.embodiments import action_width
from studio.requests.fields import CheckpointName, Count, MediaId, NegativePrompt, Prompt, UseSystemPrompt
from studio.requests.frozen import Frozen
from studio.requests.hints import FormHint


class PredictVideo(Frozen):
    """A first picture and actions to the frames that follow.

    Actions are in the model's units, one row for each transition: 16 rows make 17 frames.
    """

    kind: Annotated[Literal["predict_video"], FormHint(hidden=True)] = "predict_video"
    checkpoint: CheckpointName = None
    prompt: Prompt
    start_image: Annotated[MediaId, Field(title="First picture"), FormHint(hidden=True)]
    embodiment: EmbodimentField
    actions: Actions
    action_width: ActionWidth = None
    view: View = None
    resolution: ActionTier = "256"
    fps: ActionFps = 15.0
    sampling: ActionSampling = Field(default_factory=ActionSampling)
    count: Count = 1
    negative_prompt: NegativePrompt = ""
    use_system_prompt: UseSystemPrompt = False

    @property
    def num_actions(self) -> int:
        """Rows of actions."""
        return len(self.actions)

    @model_validator(mode="after")
    def _actions_fit(self) -> Self:
        whole_groups_of_rows(self.actions, action_width(self.embodiment, self.action_width))
        return self
