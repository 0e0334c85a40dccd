"""Imagined rollouts: the policy acts in a world that the model itself predicts, chunk after chunk, without an arm."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from studio.jobs import Failure
from studio.media import MediaReference
from studio.requests import Frozen
from studio.requests.actions import MAX_ACTIONS, ActionTier, ActionValue, NumActions, state_fits
from studio.requests.embodiments import EmbodimentName, action_width
from studio.requests.fields import CheckpointName, MediaId, Prompt

MAX_CHUNKS = 16

ROLLOUT_EXAMPLE: dict[str, Any] = {
    "prompt": "Lift the red cube.",
    "start_image": "u0123456789abcdef",
    "state": [0.0, -0.6, 0.0, -2.5, 0.0, 1.9, 0.0, 0.0],
    "num_chunks": 2,
}


class RolloutRequest(Frozen):
    """Begin a rollout.

    Attributes:
        prompt: what to do.
        start_image: what is seen first.
        state: the body's state there, for embodiments whose policy is told; later it is the last action.
        num_chunks: how often the policy is asked.
        num_actions: of a chunk, that the policy plans.
        horizon: how many of them are imagined before the policy is asked again, a multiple of four; none for all.
        checkpoint: of the policy; none for the default one.
        dynamics: checkpoint of the predicted frames; none for the policy's own.
        seed: of the first chunk; each later one's is larger by 1.
    """

    prompt: Prompt
    start_image: MediaId
    state: Annotated[tuple[ActionValue, ...] | None, Field(max_length=1024)] = None
    embodiment: Annotated[EmbodimentName, Field(description="the body whose actions are planned")] = (
        "droid_joint_position"
    )
    action_width: Annotated[
        int | None, Field(ge=1, le=1024, description="values per action, for embodiments whose data set decides it")
    ] = None
    num_chunks: Annotated[int, Field(ge=1, le=MAX_CHUNKS, description="how often the policy is asked")] = 4
    num_actions: NumActions = 32
    horizon: Annotated[
        int | None,
        Field(ge=4, le=MAX_ACTIONS, multiple_of=4, description="actions of each chunk that are imagined; default: all"),
    ] = None
    resolution: Annotated[ActionTier | None, Field(description="tier that frames are fitted into")] = None
    fps: Annotated[float, Field(ge=1, le=60, description="actions and frames per second")] = 15.0
    checkpoint: Annotated[CheckpointName, Field(description="of the policy; default: the server's")] = None
    dynamics: Annotated[
        CheckpointName, Field(description="checkpoint that predicts the frames; default: the policy's own")
    ] = None
    seed: Annotated[int, Field(ge=0, lt=2**31, description="of the first chunk; each later one's is larger by 1")] = 0

    @model_validator(mode="after")
    def _can_be_asked(self) -> Self:
        action_width(self.embodiment, self.action_width)
        state_fits(self.state, self.embodiment)
        if self.num_imagined > self.num_actions:
            raise ValueError(f"horizon is {self.horizon}; expected up to {self.num_actions}, the number of actions")
        return self

    @property
    def num_imagined(self) -> int:
        """Actions of each chunk that are carried out."""
        return self.horizon or self.num_actions


class RolloutChunk(Frozen):
    """What has been made of one.

    Attributes:
        policy_job, dynamics_job: ids of the jobs that decided and predicted.
        actions: the rows that were carried out.
        video: id of the predicted frames, the one before the first action included.
    """

    policy_job: str
    dynamics_job: str
    actions: tuple[tuple[float, ...], ...]
    video: str


class Rollout(Frozen):
    """A rollout as it stands. It is kept in memory: its jobs and results stay when the server has ended, it does not.

    Attributes:
        video: the whole clip, once it has succeeded.
        error: why it failed.
    """

    id: str
    request: RolloutRequest
    state: Literal["running", "succeeded", "failed", "cancelled"] = "running"
    chunks: tuple[RolloutChunk, ...] = ()
    video: MediaReference | None = None
    error: Failure | None = None

    @property
    def actions(self) -> tuple[tuple[float, ...], ...]:
        """All rows that were carried out, in order."""
        return tuple(row for chunk in self.chunks for row in chunk.actions)
