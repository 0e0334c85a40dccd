"""A refinement: its tree of results, what it does next, and which of them is the best."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal, Self, cast

from pydantic import AfterValidator, Field

from studio.jobs import Failure
from studio.media import MediaReference
from studio.prompting.critique import Critique
from studio.prompting.refining import RoundSummary
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
        spent_s: while anything of it was written, made or judged; time in the queue does not count.
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
        raise ValueError("the text is empty; say what to change")
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


def with_node(tree: Refinement, node: RefinementNode) -> Refinement:
    """The tree with one node as it is now, or one more, and the best of them."""
    nodes = list(tree.nodes)
    nodes[node.number : node.number + 1] = [node]
    return tree.model_copy(update={"nodes": tuple(nodes), "best": best_of(nodes)})


def first_nodes(request: RefineImage, *, given: bool) -> tuple[RefinementNode, ...]:
    """The first round, nothing written yet.

    Args:
        request: what was asked for.
        given: its prompt is a structured caption, which is taken as it is.
    """
    return tuple(
        RefinementNode(
            number=index,
            candidate=index,
            origin="given" if given else "upsampled",
            rewrites_left=request.max_rewrites,
        )
        for index in range(request.num_candidates)
    )


def follower(tree: Refinement, node: RefinementNode, spent_s: float) -> RefinementNode | Ending:
    """The result that is rewritten from a judged one, or why there is none.

    Args:
        tree: the node's.
        node: judged.
        spent_s: so far.
    """
    assert node.critique is not None
    request = tree.request
    if any(each.critique.clears(request.good_enough) for each in tree.nodes if each.critique):
        return "good_enough"
    if node.rewrites_left == 0 or len(tree.nodes) >= MAX_NODES:
        return "branch" if node.origin == "branched" else "rounds"
    if request.budget_s is not None and spent_s >= request.budget_s:
        return "seconds"
    if request.budget_tokens is not None and tree.spent_tokens >= request.budget_tokens:
        return "tokens"
    return RefinementNode(
        number=len(tree.nodes),
        parent=node.number,
        round=node.round + 1,
        candidate=node.candidate,
        origin="rewritten",
        rewrites_left=node.rewrites_left - 1,
    )


def branched(tree: Refinement, asked: Branch) -> RefinementNode:
    """The node of a branch, whose parent must have been made."""
    parent = tree.nodes[asked.node]
    return RefinementNode(
        number=len(tree.nodes),
        parent=parent.number,
        round=parent.round + 1,
        candidate=parent.candidate,
        origin="branched",
        words=asked.words,
        rewrites_left=asked.rewrites,
    )


def rounds_before(tree: Refinement, node: RefinementNode) -> list[RoundSummary]:
    """The judged results on the way to a node, the first one first."""
    way: list[RoundSummary] = []
    parent = node.parent
    while parent is not None:
        before = tree.nodes[parent]
        if (critique := before.critique) is not None:
            way.append(
                RoundSummary(
                    iteration=before.round,
                    overall_score=critique.overall_score,
                    prompt_adherence_score=critique.prompt_adherence_score,
                    category_score=critique.category_score,
                    threshold_cleared=critique.clears(tree.request.good_enough),
                )
            )
        parent = before.parent
    return way[::-1]


def best_of(nodes: Sequence[RefinementNode]) -> BestResult | None:
    """The best by the critic's overall score (B.7); at the same score the one with fewer severe, moderate and minor
    issues, in this order, then the earlier one."""
    ranked = sorted(((_merit(node.critique), -node.number) for node in nodes if node.critique), reverse=True)
    if not ranked:
        return None
    merit, number = ranked[0]
    if len(ranked) == 1:
        return BestResult(node=-number, by="only", num_judged=1)
    names: tuple[WonBy, ...] = ("score", "severe", "moderate", "minor")
    runner_up, other = ranked[1]
    unequal = [place for place in range(len(names)) if merit[place] != runner_up[place]]
    by = names[unequal[0]] if unequal else "earlier"
    return BestResult(node=-number, by=by, runner_up=-other, num_judged=len(ranked))


def _merit(critique: Critique) -> tuple[float, int, int, int]:
    return (
        critique.overall_score,
        -critique.count("severe"),
        -critique.count("moderate"),
        -critique.count("minor"),
    )


def unfinished(tree: Refinement) -> list[int]:
    """The nodes from which a tree grows on: those that are not judged, and judged ones whose chain may have an end."""
    followed = {node.parent for node in tree.nodes if node.origin != "branched"}
    return [
        node.number for node in tree.nodes if not (node.skipped or (node.stage == "done" and node.number in followed))
    ]


def interrupted(tree: Refinement) -> list[int]:
    """The nodes from which a tree grows on after a restart: neither those a person stopped, nor those that failed."""
    return [at for at in unfinished(tree) if not tree.nodes[at].resting and tree.nodes[at].error is None]


def rested(tree: Refinement) -> Refinement:
    """The tree as a person stopped it: a branch may grow from it later, and the rest stays as it is."""
    ends = set(unfinished(tree))
    nodes = (node.model_copy(update={"resting": True}) if node.number in ends else node for node in tree.nodes)
    return tree.model_copy(update={"nodes": tuple(nodes)})


MAX_CHANGES = 200


def prompt_changes(before: str, after: str) -> tuple[PromptChange, ...]:
    """The texts that differ, in the order of the new prompt; what is gone comes last.

    `{"a": "x", "b": "y"}` to `{"a": "z"}` gives a from x to z, and b from y to nothing.
    """
    old, new = _leaves(before), _leaves(after)
    changed = [
        PromptChange(path=path, before=old.get(path), after=text) for path, text in new.items() if old.get(path) != text
    ]
    gone = [PromptChange(path=path, before=text, after=None) for path, text in old.items() if path not in new]
    return tuple(changed + gone)[:MAX_CHANGES]


def _leaves(prompt: str) -> dict[str, str]:
    try:
        value: Any = json.loads(prompt)
    except (ValueError, RecursionError):
        value = None
    return dict(_texts(value, "")) if isinstance(value, dict) else {"": prompt}


def _texts(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, child in cast(dict[str, Any], value).items():
            yield from _texts(child, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for number, child in enumerate(cast(list[Any], value)):
            yield from _texts(child, f"{path}.{number}")
    elif value not in (None, ""):
        yield path, value if isinstance(value, str) else json.dumps(value)
