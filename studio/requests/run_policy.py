"""What to do next, and what will be seen then (policy)."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from studio.requests.action_fields import ActionRequest, ActionValue, NumActions
from studio.requests.embodiments import EMBODIMENTS, action_width
from studio.requests.fields import MediaId
from studio.requests.hints import FormHint
from studio.requests.roles import Makes, Takes

EXAMPLE: dict[str, Any] = {
    "prompt": "Lift the red cube.",
    "embodiment": "droid_joint_position",
    "start_image": "u0123456789abcdef",
    "state": [0.0, -0.6, 0.0, -2.5, 0.0, 1.9, 0.0, 1.0],
    "num_actions": 32,
    "decode_video": False,
}


class RunPolicy(ActionRequest):
    """A picture, and for some embodiments the state of the arm, to actions and the frames that they lead to.

    `state` is as the embodiment's actions are; for droid_joint_position seven joint positions in rad and the gripper,
    0 open to 1 closed.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    kind: Annotated[Literal["run_policy"], FormHint(hidden=True)] = "run_policy"
    start_image: Annotated[
        MediaId,
        Field(title="What is seen now", description="the camera's picture"),
        FormHint(hidden=True),
        Takes("image"),
    ]
    state: Annotated[
        tuple[ActionValue, ...] | None,
        Field(max_length=1024, title="State", description="where the arm is, for embodiments that are told"),
        FormHint(hidden=True),
    ] = None
    num_actions: NumActions = 16
    decode_video: Annotated[
        bool,
        Field(title="Foreseen frames", description="decode the frames that the policy foresees too"),
        Makes("video"),
    ] = True

    @model_validator(mode="after")
    def _state_fits(self) -> Self:
        action_width(self.embodiment, self.action_width)
        expected = EMBODIMENTS[self.embodiment].state_width
        if (self.state is None) != (expected == 0) or len(self.state or ()) != expected:
            came = "none" if self.state is None else f"{len(self.state)} values"
            wanted = f"{expected} values" if expected else "none"
            raise ValueError(f"state has {came}; {self.embodiment} takes {wanted}")
        return self
