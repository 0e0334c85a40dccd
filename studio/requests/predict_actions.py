"""Which actions lead from frame to frame of a clip (inverse dynamics)."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from studio.requests.action_fields import ActionRequest, NumActions
from studio.requests.embodiments import action_width
from studio.requests.fields import MediaId
from studio.requests.generation import FrameSpan
from studio.requests.hints import FormHint
from studio.requests.roles import Takes

EXAMPLE: dict[str, Any] = {
    "prompt": "A robot arm lifts a red cube from a wooden table.",
    "embodiment": "umi",
    "source_video": "u0123456789abcdef",
    "num_actions": 16,
}


class PredictActions(ActionRequest):
    """A clip to the actions between its frames, in the model's units; of 17 frames 16 rows."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    kind: Annotated[Literal["predict_actions"], FormHint(hidden=True)] = "predict_actions"
    source_video: Annotated[
        MediaId, Field(title="Clip", description="whose actions are asked for"), FormHint(hidden=True), Takes("video")
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
