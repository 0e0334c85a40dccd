"""Counterfactual fans: what a policy would do about one image with other seeds or other instructions, ranked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from studio.captions import UnusableAnswer, object_in, split_thought
from studio.captions.answer_schema import object_schema, text_schema
from studio.evaluation.judge import MAX_REASON, SAMPLING, reason_of
from studio.imagining import ImaginedStart
from studio.jobs import Failure
from studio.media import MediaReference
from studio.panda import hand_paths
from studio.panda.cameras import Path
from studio.prompting import ImageUrl, Question, VideoUrl
from studio.prompting.question import asked_alone
from studio.prompting.tasks import VIDEO_FPS
from studio.prompting.templates import fill
from studio.requests import Frozen, shown
from studio.requests.actions import state_fits
from studio.requests.fields import MediaId, Prompt
from studio.toml_files import shipped

MAX_BRANCHES = 8
SCORES = (1, 2, 3, 4, 5)

FAN_EXAMPLE: dict[str, Any] = {
    "prompt": "Lift the red cube.",
    "start_image": "u0123456789abcdef",
    "state": [0.0, -0.6, 0.0, -2.5, 0.0, 1.9, 0.0, 0.0],
    "num_seeds": 3,
    "cameras": "simulated",
}


class FanRequest(ImaginedStart):
    """Begin a fan.

    Attributes:
        prompt: what to do; what every branch is ranked against.
        start_image: what is seen.
        num_seeds: how many branches have the prompt and a seed each.
        instructions: what to do instead in each branch, all with one seed; none for branches by seed.
        cameras: whose views the image shows, in which the hand's way is then drawn; none where they are not known.
        judge: reasoner that ranks the branches; none for the policy's own checkpoint.
        seed: of the first branch; each later one's is larger by 1.
    """

    start_image: MediaId
    num_seeds: Annotated[int, Field(ge=2, le=MAX_BRANCHES, description="branches, where no instructions are given")] = 4
    instructions: Annotated[
        tuple[Prompt, ...],
        Field(max_length=MAX_BRANCHES, description="one branch for each, instead of one for each seed"),
    ] = ()
    cameras: Annotated[
        Literal["simulated"] | None, Field(description="whose views the image shows; default: unknown ones")
    ] = None
    judge: Annotated[
        str | None, Field(max_length=200, description="reasoner that ranks; default: the policy's own checkpoint")
    ] = None

    @model_validator(mode="after")
    def _can_be_asked(self) -> Self:
        state_fits(self.state, self.embodiment)
        if len(self.instructions) == 1:
            raise ValueError("one instruction makes no fan; expected two or more, or none for branches by seed")
        if self.cameras is not None and self.embodiment != "droid_joint_position":
            raise ValueError(f"the simulated cameras see droid_joint_position; embodiment is {self.embodiment}")
        return self

    @property
    def branches(self) -> tuple[FanBranch, ...]:
        """Those that it has, as they begin."""
        if self.instructions:
            return tuple(FanBranch(prompt=words, seed=self.seed) for words in self.instructions)
        return tuple(FanBranch(prompt=self.prompt, seed=self.seed + number) for number in range(self.num_seeds))

    def paths(self, actions: Sequence[Sequence[float]]) -> tuple[Path, ...]:
        """The hand's way in each view of the image; none where the cameras are not known."""
        if self.cameras is None or self.state is None:
            return ()
        return hand_paths(self.state, actions)


class FanBranch(Frozen):
    """What would be done, and what would be seen.

    Attributes:
        prompt, seed: what the policy is asked with.
        job: id of the job that decides and foresees.
        actions: its rows.
        video: the foreseen frames.
        paths: the hand's way in the wrist's view, exterior 1's and exterior 2's, in pixels of the image.
        score: 1, does nothing of the instruction, to 5, carries it out; none before the reasoner said so.
        reason: why.
    """

    prompt: str
    seed: int
    job: str | None = None
    actions: tuple[tuple[float, ...], ...] = ()
    video: MediaReference | None = None
    paths: tuple[Path, ...] = ()
    score: int | None = None
    reason: str = ""


class Fan(Frozen):
    """A fan as it stands. It is kept in memory: its jobs and results stay when the server has ended, it does not.

    Attributes:
        branches: in the order in which they were asked for.
        ranking: their numbers, from the best to the worst, once the reasoner has looked at all; a tie goes to the
            earlier one.
        unranked: why they could not be ranked; the branches can be used nevertheless.
        error: why it failed.
    """

    id: str
    request: FanRequest
    state: Literal["running", "succeeded", "failed", "cancelled"] = "running"
    branches: tuple[FanBranch, ...]
    ranking: tuple[int, ...] = ()
    unranked: Failure | None = None
    error: Failure | None = None


class BranchVerdict(Frozen):
    """What a reasoner says of a branch."""

    score: int
    reason: str


class _FanTexts(Frozen):
    score: str


@cache
def _texts() -> _FanTexts:
    return shipped(_FanTexts, "evaluation", "fan.toml")


def score_question(prompt: str, video: ImageUrl | VideoUrl) -> Question:
    """How far a foreseen video carries out an instruction."""
    schema = object_schema(reason=text_schema(MAX_REASON), score={"type": "integer", "enum": list(SCORES)})
    return Question(
        messages=asked_alone(fill(_texts().score, prompt=prompt), video),
        sampling=SAMPLING,
        answer_schema=schema,
        video_fps=VIDEO_FPS,
    )


def read_verdict(text: str) -> BranchVerdict:
    """The answer to `score_question`. Raises UnusableAnswer."""
    entry, _ = object_in(split_thought(text).answer)
    score = entry.get("score")
    if type(score) is not int or score not in SCORES:
        raise UnusableAnswer(f'"score" is {shown(score)}; expected a whole number from 1 to 5.')
    return BranchVerdict(score=score, reason=reason_of(entry))


def ranked(branches: Sequence[FanBranch]) -> tuple[int, ...]:
    """Numbers of branches that all have a score, the best first."""
    return tuple(sorted(range(len(branches)), key=lambda number: (-(branches[number].score or 0), number)))
