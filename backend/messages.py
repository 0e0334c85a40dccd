"""What the server and its worker say to each other, as frozen dataclasses on a pipe.

The pipe is private to the two processes and one of them started the other, so plain pickling is safe here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from backend.media import ControlOrigin
from studio.jobs import Failure
from studio.media import MediaReference
from studio.requests import Reason, Request, RunPolicy
from studio.requests.transfer_video import PerceivedHint


@dataclass(frozen=True)
class LoadCheckpoint:
    """Load a checkpoint; `build` makes it first when the folder is not there."""

    folder: Path
    build: bool
    device: str


@dataclass(frozen=True)
class SleepEngine:
    """Take the weights off the device until the checkpoint is loaded again; only an idle worker is told."""


@dataclass(frozen=True)
class RunJob:
    """Start a job; its previews are made only while somebody looks.

    Attributes:
        guarded: its frames go past the guardrail before they are written, and no preview shows them before.
    """

    job_id: str
    request: Request
    previewed: bool
    guarded: bool = False


@dataclass(frozen=True)
class SetPreviewed:
    """Whether anybody is looking at a job's preview."""

    job_id: str
    previewed: bool


@dataclass(frozen=True)
class CancelJob:
    """Drop a job before its next step."""

    job_id: str


@dataclass(frozen=True)
class StopJob:
    """Stop denoising and decode what is there."""

    job_id: str


@dataclass(frozen=True)
class Converse:
    """Answer a conversation; `files` has every medium that it names, by id."""

    conversation_id: str
    request: Reason
    files: Mapping[str, Path]


@dataclass(frozen=True)
class StopConversation:
    """Nobody listens any more: decode no further token of it."""

    conversation_id: str


@dataclass(frozen=True)
class Act:
    """Answer an arm's question next, and from now on keep the device free for further ones: jobs rest between steps.

    Attributes:
        request: its `start_image` names nothing.
        canvas: what is seen instead, uint8 [540, 640, 3].
        foresee: whether the foreseen frames are reported behind the answer, while no other question is open; they are
            dropped where the next answer is there first.
    """

    act_id: str
    request: RunPolicy
    canvas: NDArray[np.uint8]
    foresee: bool = False


@dataclass(frozen=True)
class StopActing:
    """Nobody waits for this answer any more."""

    act_id: str


@dataclass(frozen=True)
class PaintFrame:
    """The control of one frame alone.

    Attributes:
        pixels: uint8 [height, width, 3], on the canvas.
    """

    hint: PerceivedHint
    pixels: NDArray[np.uint8]


@dataclass(frozen=True)
class PaintControl:
    """The control of a whole video, kept in the store.

    Attributes:
        source: the video's file.
        num_frames: at the rate that `origin` was asked for, `fps`.
        origin: written into the control.
    """

    hint: PerceivedHint
    source: Path
    num_frames: int
    fps: float
    origin: ControlOrigin


@dataclass(frozen=True)
class CompareViews:
    """How far two images or videos agree in what a control shows of them.

    Attributes:
        path: the result's file.
        against: the reference's.
        max_frames: that are looked at, from the beginning.
    """

    hint: PerceivedHint
    path: Path
    against: Path
    max_frames: int


@dataclass(frozen=True)
class Perceive:
    """Look at something with a model of depth or objects, a frame between two steps of whatever else runs."""

    perception_id: str
    work: PaintFrame | PaintControl | CompareViews


@dataclass(frozen=True)
class StopPerceiving:
    """Nobody waits for this any more."""

    perception_id: str


@dataclass(frozen=True)
class RestJobs:
    """Whether jobs take no step, so that the device is free for an arm."""

    rest: bool


Command = (
    LoadCheckpoint
    | SleepEngine
    | RunJob
    | SetPreviewed
    | CancelJob
    | StopJob
    | Converse
    | StopConversation
    | Act
    | StopActing
    | Perceive
    | StopPerceiving
    | RestJobs
)


@dataclass(frozen=True)
class CheckpointMoved:
    """How far the checkpoint is; `waiting` is for a host."""

    state: Literal["waiting", "preparing", "loading", "ready", "failed", "asleep"]
    detail: str = ""
    failure: Failure | None = None


@dataclass(frozen=True)
class JobProgressed:
    """How far a job is."""

    job_id: str
    phase: Literal["starting", "denoising", "decoding"]
    step: int
    steps: int


@dataclass(frozen=True)
class JobPreviewed:
    """A look at what a job is making."""

    job_id: str
    jpeg: bytes


@dataclass(frozen=True)
class JobFinished:
    """A job is done and its files are in the store; `steps` is how many it had in all."""

    job_id: str
    results: tuple[MediaReference, ...]
    stopped_at_step: int | None
    steps: int


@dataclass(frozen=True)
class JobFailed:
    """A job is over, for this reason."""

    job_id: str
    failure: Failure


@dataclass(frozen=True)
class JobCancelled:
    """A job was dropped, as asked, after so many of its steps."""

    job_id: str
    step: int
    steps: int


@dataclass(frozen=True)
class WorkerEnding:
    """Its device can no longer be trusted: it reports what broke, then ends, and another one takes its place."""


JobReport = CheckpointMoved | JobProgressed | JobPreviewed | JobFinished | JobFailed | JobCancelled | WorkerEnding
"""What the dispatcher handles."""


@dataclass(frozen=True)
class Token:
    """A token that was said.

    Attributes:
        spelling: its bytes, which need not be whole characters; none for one that only ends the answer.
        logprob: natural logarithm.
        top: the likeliest tokens at its place, likeliest first.
    """

    spelling: bytes
    logprob: float
    top: tuple[tuple[bytes, float], ...]


@dataclass(frozen=True)
class Usage:
    """Tokens of a conversation: read, written so far, and of those read the ones that were at hand from another."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0


@dataclass(frozen=True)
class ConversationSaid:
    """What has come of an answer since the last time; tokens only where their probabilities are asked for."""

    conversation_id: str
    text: str
    tokens: tuple[Token, ...]
    usage: Usage


@dataclass(frozen=True)
class ConversationEnded:
    """An answer is whole, or why there is none: one of both is set."""

    conversation_id: str
    finish_reason: Literal["stop", "length"] | None = None
    failure: Failure | None = None


ConversationReport = ConversationSaid | ConversationEnded
"""What whoever holds the conversation hears; it passes the dispatcher by."""


@dataclass(frozen=True)
class Acted:
    """What an arm is to do.

    Attributes:
        actions: float32 [32, 8], as the question's embodiment has them.
        took_s: how long it was computed, without what was in flight when the question came.
        video: uint8 [33, height, width, 3], where the question wanted it.
    """

    act_id: str
    actions: NDArray[np.float32]
    took_s: float
    video: NDArray[np.uint8] | None = None


@dataclass(frozen=True)
class ActFailed:
    """Why an arm gets no answer."""

    act_id: str
    failure: Failure


@dataclass(frozen=True)
class Foreseen:
    """What the policy expects to be seen while the arm does what was answered.

    Attributes:
        video: uint8 [33, height, width, 3].
    """

    act_id: str
    video: NDArray[np.uint8]


ActReport = Acted | ActFailed | Foreseen
"""What whoever asked for the arm hears; it passes the dispatcher by."""

Seen = MediaReference | NDArray[np.uint8] | Mapping[str, float]
"""Of `PaintControl` the control, of `PaintFrame` uint8 [height, width, 3], of `CompareViews` figures by metric."""


@dataclass(frozen=True)
class Perceived:
    """What was seen."""

    perception_id: str
    seen: Seen


@dataclass(frozen=True)
class PerceptionFailed:
    """Why nothing was seen."""

    perception_id: str
    failure: Failure


PerceptionReport = Perceived | PerceptionFailed
"""What whoever asked hears; it passes the dispatcher by."""

Report = JobReport | ConversationReport | ActReport | PerceptionReport
