"""What a refinement does next, and which of its results is the best: pure functions of the tree."""

from __future__ import annotations

from collections.abc import Sequence

from studio.critiques import Critique
from studio.prompting.refining import RoundSummary
from studio.refinements import MAX_NODES, BestResult, Branch, Ending, Refinement, RefinementNode, WonBy
from studio.requests.refine_image import RefineImage


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
