"""What will be seen if these actions are taken (forward dynamics)."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from studio.requests.action_fields import MAX_ACTIONS, ActionRequest, ActionValue, whole_groups_of_rows
from studio.requests.embodiments import action_width
from studio.requests.fields import MediaId
from studio.requests.hints import FormHint
from studio.requests.roles import Takes

EXAMPLE: dict[str, Any] = {
    "prompt": "A robot arm lifts a red cube from a wooden table.",
    "embodiment": "bridge_orig_lerobot",
    "start_image": "u0123456789abcdef",
    "actions": [[0.0, 0.0, 0.01, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0]] * 4,
    "fps": 5,
}


class PredictVideo(ActionRequest):
    """A first picture and actions to the frames that follow.

    Actions are in the model's units, one row for each transition: 16 rows make 17 frames.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    kind: Annotated[Literal["predict_video"], FormHint(hidden=True)] = "predict_video"
    start_image: Annotated[
        MediaId,
        Field(title="First picture", description="what is seen before the first action"),
        FormHint(hidden=True),
        Takes("image"),
    ]
    actions: Annotated[
        tuple[tuple[ActionValue, ...], ...],
        Field(min_length=4, max_length=MAX_ACTIONS, title="Actions", description="a row for each transition"),
        FormHint(hidden=True),
        Takes("actions"),
    ]

    @property
    def num_actions(self) -> int:
        """Rows of actions."""
        return len(self.actions)

    @model_validator(mode="after")
    def _actions_fit(self) -> Self:
        whole_groups_of_rows(self.actions, action_width(self.embodiment, self.action_width))
        return self
