"""Refinements as data: trees of results, each judged and rewritten into the next."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field

from studio.critiques import Critique
from studio.jobs import Failure
from studio.media import MediaReference
from studio.requests import Frozen, GenerateImage, GenerateVideo
from studio.requests.fields import BoundedText
from studio.requests.refine_image import MAX_REWRITES, RefineImage, Role

RefinementState = Literal["running", "succeeded", "failed", "stopped"]
Stage = Literal["writing", "generating", "judging", "done", "failed", "skipped"]
Ending = Literal["good_enough", "rounds", "seconds", "tokens", "branch"]
"""Why no further round was begun: the score was reached, the rewrites, seconds or tokens were used up, or only what a
person asked for was to be made."""
WonBy = Literal["only", "score", "severe", "moderate", "minor", "earlier"]
"""What sets the best result off from the next one: nothing else was judged, the overall score, at the same score fewer
issues of a severity, or at all of the same that it came first."""

MAX_NODES = 200
"""Results of one refinement, branches among them."""


class PromptChange(Frozen):
    """One text that is another now.

    Attributes:
        path: dotted, as in `subjects.0.description`; empty for a prompt in plain words.
        before: none where there was nothing.
        after: none where there is nothing any more.
    """

    path: str
    before: str | None
    after: str | None


class RefinementNode(Frozen):
    """One result, from its prompt to what the critic said.

    Attributes:
        number: its own, counted from 0.
        parent: of the result that it was rewritten from; none in the first round.
        round: counted from 0.
        candidate: the chain that it belongs to, which is also what its seed is raised by.
        origin: who wrote its prompt: the person, the upsampler, the rewriter, or the rewriter with a person's wish.
        words: that wish.
        rewrites_left: rounds that may follow it by themselves.
        request: the whole recipe once its prompt is written: sent as a job it makes the same result again.
        changes: of its positive prompt, against its parent's.
        thrift: how often its prompt came out too long and was asked for at half the length.
        job_id: of the job that makes it.
        media: what was made.
        error: why it went no further; resuming tries again.
        skipped: another result was good enough before this one was made.
        resting: a person stopped the refinement here; only resuming goes on.
    """

    number: int
    parent: int | None = None
    round: int = 0
    candidate: int = 0
    origin: Literal["given", "upsampled", "rewritten", "branched"]
    words: str = ""
    rewrites_left: int = 0
    request: Annotated[GenerateImage | GenerateVideo, Field(discriminator="kind")] | None = None
    changes: tuple[PromptChange, ...] = ()
    thrift: int = 0
    job_id: str | None = None
    media: MediaReference | None = None
    critique: Critique | None = None
    error: Failure | None = None
    skipped: bool = False
    resting: bool = False

    @property
    def stage(self) -> Stage:
        """What is done about it, or why nothing is."""
        if self.skipped:
            return "skipped"
        if self.critique is not None:
            return "done"
        if self.error is not None:
            return "failed"
        return "writing" if self.request is None else "generating" if self.media is None else "judging"


class BestResult(Frozen):
    """Which result won, and why.

    Attributes:
        node: its number.
        by: what sets it off from the runner-up.
        runner_up: the number of the next best; none when nothing else was judged.
        num_judged: results that were compared.
    """

    node: int
    by: WonBy
    runner_up: int | None = None
    num_judged: int


class Refinement(Frozen):
    """A refinement as it is now; `POST /v1/refinements` with its `request` begins the same anew.

    Attributes:
        nodes: in the order of their numbers.
        best: of those that were judged; none before the first of them.
        ended_by: why no further round was begun.
        spent_s: while it ran, times when the server was down not counted.
        spent_tokens: read and written by upsampler, critic and rewriter.
        error: of the first result that failed, while nothing has been done about it.
    """

    id: str
    state: RefinementState = "running"
    created_at: datetime
    request: RefineImage
    nodes: tuple[RefinementNode, ...] = ()
    best: BestResult | None = None
    ended_by: Ending | None = None
    spent_s: float = 0.0
    spent_tokens: int = 0
    error: Failure | None = None


class RefinementSummary(Frozen):
    """One line of `GET /v1/refinements`.

    Attributes:
        words: what was asked for.
        num_nodes: results, those that are still made among them.
        media: the best result, or the first one.
        overall_score: of the best.
    """

    id: str
    kind: Literal["generate_image", "generate_video"]
    state: RefinementState
    created_at: datetime
    words: str
    num_nodes: int
    media: MediaReference | None = None
    overall_score: float | None = None

    @classmethod
    def of(cls, tree: Refinement) -> Self:
        """A tree in short."""
        best = tree.nodes[tree.best.node] if tree.best else None
        return cls(
            id=tree.id,
            kind=tree.request.generate.kind,
            state=tree.state,
            created_at=tree.created_at,
            words=words_of(tree)[:400],
            num_nodes=len(tree.nodes),
            media=best.media if best else next((node.media for node in tree.nodes if node.media), None),
            overall_score=best.critique.overall_score if best and best.critique else None,
        )


class RefinementList(Frozen):
    """`GET /v1/refinements`, newest first."""

    refinements: tuple[RefinementSummary, ...]


class Reasoners(Frozen):
    """`GET /v1/refinements/reasoners`: who can take each role here.

    Attributes:
        endpoints: the address of each role's endpoint, by role; a role without one is the resident reasoner's.
    """

    endpoints: dict[Role, str]


def _says_something(words: str) -> str:
    if not words.strip():
        raise ValueError("the words are empty; say what is to be different")
    return words


class Branch(Frozen):
    """`POST /v1/refinements/{id}/branches`: another way on from a result, with a person's own words.

    Attributes:
        node: the number of the result that it goes on from.
        words: what is to be different; the rewriter works it into both prompts.
        rewrites: rounds that may follow by themselves.
    """

    node: int = Field(ge=0)
    words: Annotated[BoundedText, AfterValidator(_says_something)]
    rewrites: int = Field(default=0, ge=0, le=MAX_REWRITES)


def words_of(tree: Refinement) -> str:
    """A person's words, or the caption that they gave in place of them."""
    made = tree.request.generate
    return made.written_from or made.prompt
