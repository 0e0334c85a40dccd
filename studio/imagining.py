"""What everything that a policy imagines starts from: an instruction, and the body that is to act."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from studio.requests import Frozen
from studio.requests.actions import ActionTier, ActionValue, NumActions
from studio.requests.embodiments import EmbodimentName, action_width
from studio.requests.fields import CheckpointName, Prompt


class ImaginedStart(Frozen):
    """Whom to ask, and about what.

    Attributes:
        prompt: what to do.
        state: the body's state at the start, for embodiments whose policy is told.
        num_actions: of a chunk, that the policy plans.
        checkpoint: of the policy; none for the default one.
    """

    prompt: Prompt
    state: Annotated[tuple[ActionValue, ...] | None, Field(max_length=1024)] = None
    embodiment: Annotated[EmbodimentName, Field(description="the body whose actions are planned")] = (
        "droid_joint_position"
    )
    action_width: Annotated[
        int | None, Field(ge=1, le=1024, description="values per action, for embodiments whose data set decides it")
    ] = None
    num_actions: NumActions = 32
    resolution: Annotated[ActionTier | None, Field(description="tier that frames are fitted into")] = None
    fps: Annotated[float, Field(ge=1, le=60, description="actions and frames per second")] = 15.0
    checkpoint: Annotated[CheckpointName, Field(description="of the policy; default: the server's")] = None
    seed: Annotated[int, Field(ge=0, lt=2**31, description="of the first chunk; each later one's is larger by 1")] = 0

    @model_validator(mode="after")
    def _width_is_known(self) -> Self:
        action_width(self.embodiment, self.action_width)
        return self

    def asked(self, start_image: str, seed: int) -> dict[str, Any]:
        """What every job about it has in common: fields of an action request."""
        return {
            "prompt": self.prompt,
            "embodiment": self.embodiment,
            "action_width": self.action_width,
            "start_image": start_image,
            "fps": self.fps,
            "sampling": {"seed": seed},
            **({"resolution": self.resolution} if self.resolution else {}),
        }
