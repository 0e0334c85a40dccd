"""Which actions lead from frame to frame of a clip (inverse dynamics)."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from studio.requests.action_fields import ActionRequest, NumActions
from studio.requests.embodiments import action_width
from studio.requests.fields import MediaId
from studio.requests.hints import FormHint


class PredictActions(ActionRequest):
    """A clip to the actions between its frames, in the model's units; of 17 frames 16 rows."""

    kind: Annotated[Literal["predict_actions"], FormHint(hidden=True)] = "predict_actions"
    source_video: Annotated[
        MediaId, Field(title="Clip", description="whose actions are asked for"), FormHint(hidden=True)
    ]
    num_actions: NumActions = 16

    @model_validator(mode="after")
    def _width_is_known(self) -> Self:
        action_width(self.embodiment, self.action_width)
        return self
