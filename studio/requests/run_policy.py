"""What to do next, and what will be seen then (policy)."""

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
from studio.requests.embodiments import EMBODIMENTS, action_width
from studio.requests.fields import CheckpointName, Count, MediaId, NegativePrompt, Prompt, UseSystemPrompt
from studio.requests.frozen import Frozen
from studio.requests.hints import FormHint


class RunPolicy(Frozen):
    """A picture, and for some embodiments the state of the arm, to actions and the frames that they lead to.

    `state` is as the embodiment's actions are; for droid_joint_position seven joint positions in rad and the gripper,
    0 open to 1 closed.
    """

    kind: Annotated[Literal["run_policy"], FormHint(hidden=True)] = "run_policy"
    checkpoint: CheckpointName = None
    prompt: Prompt
    start_image: Annotated[MediaId, Field(title="What is seen now"), FormHint(hidden=True)]
    embodiment: EmbodimentField
    state: Annotated[tuple[float, ...] | None, Field(title="State", max_length=1024), FormHint(hidden=True)] = None
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
    def _state_fits(self) -> Self:
        action_width(self.embodiment, self.action_width)
        expected = EMBODIMENTS[self.embodiment].state_width
        if (self.state is None and expected) or (self.state is not None and len(self.state) != expected):
            came = "none" if self.state is None else f"{len(self.state)} values"
            wanted = f"{expected} values" if expected else "none"
            raise ValueError(f"state has {came}; {self.embodiment} takes {wanted}")
        return self
