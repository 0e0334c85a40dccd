"""Imagined rollouts: the policy acts in a world that the model itself predicts, chunk after chunk, without an arm."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from studio.imagining import ImaginedStart
from studio.jobs import Failure
from studio.media import MediaReference
from studio.requests import Frozen
from studio.requests.actions import MAX_ACTIONS, state_fits
from studio.requests.embodiments import EmbodimentName
from studio.requests.fields import CheckpointName, MediaId

SIMULATED_EMBODIMENT: EmbodimentName = "droid_joint_position"
SIMULATED_FPS = 15.0

MAX_CHUNKS = 16

ROLLOUT_EXAMPLE: dict[str, Any] = {
    "prompt": "Lift the red cube.",
    "start_image": "u0123456789abcdef",
    "state": [0.0, -0.6, 0.0, -2.5, 0.0, 1.9, 0.0, 0.0],
    "num_chunks": 2,
}


class RolloutRequest(ImaginedStart):
    """Begin a rollout from an image, or from a table of the simulated arm, on which its actions are then executed too.

    Attributes:
        start_image: what is seen first; none where a table is named.
        state: of the body there; later it is the last action. The simulated arm's own where a table is named.
        table: seed of the table.
        num_chunks: how often the policy is asked.
        horizon: how many of its actions are imagined before the policy is asked again, a multiple of four; none for
            all.
        dynamics: checkpoint of the predicted frames; none for the policy's own.
        seed: of the first chunk; each later one's is larger by 1.
    """

    start_image: MediaId | None = None
    table: Annotated[
        int | None,
        Field(ge=0, lt=2**31, description="seed of a simulated table to start from and to compare with"),
    ] = None
    num_chunks: Annotated[int, Field(ge=1, le=MAX_CHUNKS, description="how often the policy is asked")] = 4
    horizon: Annotated[
        int | None,
        Field(ge=4, le=MAX_ACTIONS, multiple_of=4, description="actions of each chunk that are imagined; default: all"),
    ] = None
    dynamics: Annotated[
        CheckpointName, Field(description="checkpoint that predicts the frames; default: the policy's own")
    ] = None

    @model_validator(mode="after")
    def _can_be_asked(self) -> Self:
        if (self.start_image is None) == (self.table is None):
            raise ValueError("either start_image or table is expected")
        if self.table is None:
            state_fits(self.state, self.embodiment)
        elif self.embodiment != SIMULATED_EMBODIMENT or self.state is not None or self.fps != SIMULATED_FPS:
            raise ValueError(
                f"the simulated arm has {SIMULATED_EMBODIMENT}, {SIMULATED_FPS:g} fps and a state of its own"
            )
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


class StepError(Frozen):
    """How far the imagined frame after an action is from the simulated one.

    Attributes:
        psnr_db: of the wrist's view, exterior 1's and exterior 2's; 100 at most.
        still_psnr_db: the same of the first frame, as if nothing had moved.
    """

    psnr_db: tuple[float, ...]
    still_psnr_db: tuple[float, ...]


class Simulated(Frozen):
    """The same actions on the simulated arm, through its loop and its limits.

    Attributes:
        video: what its cameras saw, one frame for each of the imagined ones, as the checkpoint sees them.
        errors: one for each action that was executed.
        stopped: why the arm stopped before the last action; empty where it did not.
    """

    video: MediaReference
    errors: tuple[StepError, ...]
    stopped: str = ""


class Rollout(Frozen):
    """A rollout as it stands. It is kept in memory: its jobs and results stay when the server has ended, it does not.

    Attributes:
        start_image: what it began with.
        video: the whole video, once it has succeeded.
        simulated: where a table was named.
        error: why it failed.
    """

    id: str
    request: RolloutRequest
    state: Literal["running", "succeeded", "failed", "cancelled"] = "running"
    start_image: str | None = None
    chunks: tuple[RolloutChunk, ...] = ()
    video: MediaReference | None = None
    simulated: Simulated | None = None
    error: Failure | None = None

    @property
    def actions(self) -> tuple[tuple[float, ...], ...]:
        """All rows that were carried out, in order."""
        return tuple(row for chunk in self.chunks for row in chunk.actions)
