"""What people may order: parsed once, at the wire, and handed on as it is to the station and its loop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, TypeAdapter, ValidationError

from robot.chunk import MAX_ROWS
from robot.observation import ROW_WIDTH
from studio.errors import BadInput
from studio.requests import Frozen, shown

Mode = Literal["live", "rehearsal", "shadow", "approve", "step", "replay"]
"""live moves as the policy says, rehearsal slower on the same path, shadow asks and draws and does not move, approve
plays a chunk after a person said so, step one row at a time, replay the rows of a recorded episode."""

Prompt = Annotated[str, Field(max_length=4096)]
Horizon = Annotated[int, Field(ge=1, le=MAX_ROWS)]
Speed = Annotated[float, Field(ge=0.1, le=1)]
EpisodeIndex = Annotated[int, Field(ge=0)]
IdleFrames = Annotated[int, Field(ge=0, le=MAX_ROWS)]
DivergenceLimit = Annotated[float, Field(gt=0, le=2)]
DivergenceTicks = Annotated[int, Field(ge=1, le=60)]
ProposedRow = Annotated[tuple[float, ...], Field(min_length=ROW_WIDTH, max_length=ROW_WIDTH)]


class Run(Frozen):
    """One instruction, and how it is carried out.

    Attributes:
        prompt: what to do, in words.
        horizon: rows of a chunk that are played before the next one takes over.
        speed: rows a tick in rehearsal and replay; time is stretched, nothing is clipped. The others run at 1.
        record: whether it becomes an episode.
        episode: the recorded one to replay.
        idle_frames: of the 32 frames that follow, in how many the arm stands still; 0 asks for motion, none leaves it
            to the policy.
        foresee: whether the policy sends the frames that it predicts, behind each chunk.
        divergence_limit: of the motion measure (`robot.foresight.divergence`): beyond it the arm holds until a person
            resumes; none for no limit.
        divergence_ticks: how many comparisons in a row must be beyond it.
    """

    prompt: Prompt = ""
    mode: Mode = "live"
    horizon: Horizon = 16
    speed: Speed = 0.3
    record: bool = False
    episode: EpisodeIndex | None = None
    idle_frames: IdleFrames | None = None
    foresee: bool = False
    divergence_limit: DivergenceLimit | None = None
    divergence_ticks: DivergenceTicks = 5

    @property
    def foresees(self) -> bool:
        """Whether predicted frames are needed."""
        return self.foresee or self.divergence_limit is not None

    @property
    def pace(self) -> float:
        """Rows a tick."""
        return self.speed if self.mode in ("rehearsal", "replay") else 1.0


class Start(Frozen):
    """Begin a run."""

    command: Literal["start"] = "start"
    run: Run


class Instruct(Frozen):
    """Another instruction for the run that is on."""

    command: Literal["instruct"] = "instruct"
    prompt: Prompt


class Hold(Frozen):
    """Wait."""

    command: Literal["hold"] = "hold"


class Resume(Frozen):
    """Go on after a hold or a stop."""

    command: Literal["resume"] = "resume"


class Stop(Frozen):
    """Stop at once."""

    command: Literal["stop"] = "stop"


class Finish(Frozen):
    """The run is over."""

    command: Literal["finish"] = "finish"


class Approve(Frozen):
    """Play the chunk that is shown."""

    command: Literal["approve"] = "approve"


class Reject(Frozen):
    """Ask again instead."""

    command: Literal["reject"] = "reject"


class Propose(Frozen):
    """Show these rows in place of the chunk that waits, or of the next one. They are played after `approve`, like any.

    Attributes:
        epoch: in which they were planned; after a stop or another instruction they do not count.
        rows: seven absolute joint positions in rad and the gripper, 0 open to 1 closed, as a policy answers.
    """

    command: Literal["propose"] = "propose"
    epoch: Annotated[int, Field(ge=0)]
    rows: Annotated[tuple[ProposedRow, ...], Field(min_length=1, max_length=MAX_ROWS)]


class StepOnce(Frozen):
    """Play one row."""

    command: Literal["step"] = "step"


class Heartbeat(Frozen):
    """The page in control is there; five a second."""

    command: Literal["heartbeat"] = "heartbeat"


class Release(Frozen):
    """The page in control gave it back."""

    command: Literal["release"] = "release"


class RunSelfTest(Frozen):
    """Begin the self-test."""

    command: Literal["self_test"] = "self_test"


class Confirm(Frozen):
    """A person answers for a check of the self-test."""

    command: Literal["confirm"] = "confirm"
    check: Annotated[str, Field(max_length=80)]


class GoHome(Frozen):
    """Move slowly to the start pose."""

    command: Literal["home"] = "home"


class Recover(Frozen):
    """Clear the arm's faults."""

    command: Literal["recover"] = "recover"


class ListEpisodes(Frozen):
    """Everything that was recorded, and how often it worked."""

    command: Literal["episodes"] = "episodes"


class ReadEpisode(Frozen):
    """What an episode was: to be plotted."""

    command: Literal["episode"] = "episode"
    episode: EpisodeIndex


class MarkEpisode(Frozen):
    """Whether an episode worked; null takes it back."""

    command: Literal["mark"] = "mark"
    episode: EpisodeIndex
    success: bool | None


class SendFile(Frozen):
    """A file of the recordings for the server's ticket: one view of an episode, or without one the whole data set.

    `foreseen` is the canvas as the policy foresaw it, where it did.

    The server's own order: see `robot.bridge.bridge`.
    """

    command: Literal["send"] = "send"
    ticket: Annotated[str, Field(pattern=r"^[\w-]{1,64}$")]
    episode: EpisodeIndex | None = None
    view: Literal["wrist", "exterior_1", "exterior_2", "foreseen"] | None = None


class ResetScene(Frozen):
    """Another scene, where there is a simulated one."""

    command: Literal["reset_scene"] = "reset_scene"
    seed: Annotated[int, Field(ge=0, lt=2**31)]


@dataclass(frozen=True)
class Ready:
    """The self-test passed. The station's word, and none that comes over a wire."""


@dataclass(frozen=True)
class Recovered:
    """The arm's faults were cleared. The station's word, too."""


@dataclass(frozen=True)
class Replay:
    """A start whose rows were read already.

    Attributes:
        rows: float64 [n, 8].
    """

    run: Run
    rows: NDArray[np.float64]


_OfRun = Start | Instruct | Hold | Resume | Finish | Approve | Reject | Propose | StepOnce
_OfLoop = Stop | Heartbeat | Release
_OfStation = RunSelfTest | Confirm | GoHome | Recover | ListEpisodes | ReadEpisode | MarkEpisode | SendFile | ResetScene

RunCommand = _OfRun | Ready | Recovered | Replay
LoopCommand = RunCommand | _OfLoop
Command = _OfRun | _OfLoop | _OfStation
"""What may come over a wire."""

_ADAPTER: TypeAdapter[Command] = TypeAdapter(Annotated[Command, Field(discriminator="command")])


def parse_command(message: dict[str, Any]) -> Command:
    """The command in a message.

    Raises:
        BadInput: it is none.
    """
    try:
        return _ADAPTER.validate_python(message)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        # The first part is the command's own name, where it has one.
        path = ".".join(str(part) for part in first["loc"][1:]) or "command"
        raise BadInput(f"{path} is {shown(first.get('input'))}: {first['msg']}.", param=path) from None
