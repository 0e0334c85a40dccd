"""The loop alone: when it ends, what wins, what it leaves out, and how it goes on after anything."""

import asyncio
from typing import Any

import pytest

from backend.refining.loop import Loop
from critiques import critique
from library_rows import reference
from refining_fakes import FakeStudio, Made, begun
from studio.errors import EngineError, PromptTooLong, ServerUnreachable
from studio.media import MediaReference
from studio.refinements import Branch, Refinement, branched, unfinished, with_node


def grown(studio: FakeStudio, tree: Refinement, numbers: list[int] | None = None) -> Refinement:
    loop = Loop(tree, studio, studio, studio, lambda: None)
    asyncio.run(asyncio.wait_for(loop.run(unfinished(tree) if numbers is None else numbers), 60))
    assert studio.kept[-1] == loop.tree
    return loop.tree


def test_it_makes_two_rewrites_and_the_best_of_all_rounds_wins():
    studio = FakeStudio(critique(5.0), critique(7.0, "minor"), critique(6.0))

    tree = grown(studio, begun())

    assert tree.state == "succeeded"
    assert tree.ended_by == "rounds"
    assert [node.parent for node in tree.nodes] == [None, 0, 1]
    assert tree.best is not None
    assert (tree.best.node, tree.best.by, tree.best.runner_up, tree.best.num_judged) == (1, "score", 2, 3)
    assert tree.spent_tokens == 2160
    assert [len(history) for history in studio.histories] == [1, 2]
    first, second = tree.nodes[:2]
    assert first.request is not None
    assert first.media is not None
    assert second.request is not None
    assert second.media is not None
    assert (first.request.written_from, first.request.negative_prompt, second.request.negative_prompt) == (
        "a red cube",
        "",
        "bent",
    )
    assert [change.path for change in second.changes] == ["comprehensive_t2i_caption"]
    assert (second.media.id, first.media.id) in studio.links


@pytest.mark.parametrize(
    ("first", "rounds"), [(critique(9.0, "minor"), 1), (critique(9.5, "severe"), 3), (critique(8.9), 3)]
)
def test_it_stops_early_at_nine_without_a_severe_issue(first: dict[str, Any], rounds: int):
    tree = grown(FakeStudio(first, critique(8.0)), begun())

    assert len(tree.nodes) == rounds
    assert tree.ended_by == ("good_enough" if rounds == 1 else "rounds")


def test_at_the_same_score_fewer_severe_issues_win_and_then_the_earlier_one():
    studio = FakeStudio(critique(7.0, "severe"), critique(7.0, "minor"), critique(7.0, "minor"))

    tree = grown(studio, begun())

    assert tree.best is not None
    assert (tree.best.node, tree.best.by) == (1, "earlier")


def test_candidates_share_the_first_prompt_and_have_seeds_of_their_own():
    studio = FakeStudio(critique(5.0))

    tree = grown(studio, begun(num_candidates=3, max_rewrites=1))

    assert studio.said.count("open a red cube 0") == 1
    assert sorted(request.sampling.seed for request in studio.made.values()) == [7, 7, 8, 8, 9, 9]
    assert sorted(node.candidate for node in tree.nodes if node.parent is not None) == [0, 1, 2]
    assert studio.most_at_once > 1


def test_a_good_one_calls_off_what_is_not_made_yet():
    studio = FakeStudio(critique(9.5))

    async def slow(job_id: str, request: Made, _queued: object) -> MediaReference:
        if request.sampling.seed == 8:
            while job_id not in studio.given_up:
                await asyncio.sleep(0)
            raise EngineError("cancelled")
        return reference(f"{job_id}-0", seed=7)

    studio.make = slow  # type: ignore[method-assign]
    tree = grown(studio, begun(num_candidates=2))

    assert [node.stage for node in tree.nodes] == ["done", "skipped"]
    assert (tree.state, tree.ended_by) == ("succeeded", "good_enough")


@pytest.mark.parametrize(("budget", "ending"), [({"budget_s": 1e-6}, "seconds"), ({"budget_tokens": 50}, "tokens")])
def test_no_rewrite_is_begun_when_a_budget_is_used_up(budget: dict[str, Any], ending: str):
    tree = grown(FakeStudio(critique(5.0)), begun(**budget))

    assert (len(tree.nodes), tree.ended_by, tree.state) == (1, ending, "succeeded")


def test_a_critic_that_is_gone_fails_the_round_keeps_the_picture_and_is_asked_again_on_resuming():
    studio = FakeStudio(critique(5.0), ServerUnreachable("gone"), critique(8.0))

    tree = grown(studio, begun(max_rewrites=1))

    assert tree.state == "failed"
    assert tree.error is not None
    assert tree.error.code == "server_unreachable"
    assert [node.stage for node in tree.nodes] == ["done", "failed"]
    assert tree.nodes[1].media is not None
    assert tree.best is not None
    assert tree.best.node == 0

    again = grown(studio, tree)

    assert (again.state, again.error, len(studio.made)) == ("succeeded", None, 2)
    assert again.best is not None
    assert again.best.node == 1


@pytest.mark.parametrize("after", range(12))
def test_after_a_kill_at_any_moment_it_goes_on_with_what_is_missing(after: int):
    whole = FakeStudio(critique(5.0), critique(6.0), critique(7.0))
    grown(whole, begun())
    left = whole.kept[min(after, len(whole.kept) - 2)]
    queued = {node.job_id for node in left.nodes if node.media is not None}
    scores = {0: critique(5.0), 1: critique(6.0), 2: critique(7.0)}
    studio = FakeStudio(
        *[scores[number] for number in range(3) if number >= len(left.nodes) or not left.nodes[number].critique]
    )

    tree = grown(studio, left)

    assert [node.stage for node in tree.nodes] == ["done"] * 3
    assert [node.critique.overall_score for node in tree.nodes if node.critique] == [5.0, 6.0, 7.0]
    assert not queued & set(studio.made)
    assert {node.job_id for node in left.nodes if node.job_id} <= {node.job_id for node in tree.nodes}


def test_a_prompt_that_the_generator_finds_too_long_is_asked_for_again_at_half_the_length():
    studio = FakeStudio(critique(9.5))

    def too_long(_: str, request: Made) -> None:
        if len(studio.said) < 3:
            raise PromptTooLong("5000 tokens")

    studio.making = too_long
    tree = grown(studio, begun())

    assert studio.said == ["open a red cube 0", "open a red cube 1", "open a red cube 2"]
    assert (tree.state, tree.nodes[0].thrift) == ("succeeded", 2)


def test_a_prompt_that_stays_too_long_fails():
    studio = FakeStudio(critique(9.5))

    def too_long(_: str, request: Made) -> None:
        raise PromptTooLong("5000 tokens")

    studio.making = too_long
    tree = grown(studio, begun())

    assert (tree.state, len(studio.said)) == ("failed", 4)


def test_a_branch_is_made_with_the_persons_words_although_another_was_good_enough():
    studio = FakeStudio(critique(9.5), critique(9.9))
    tree = grown(studio, begun())
    loop = Loop(tree, studio, studio, studio, lambda: None)

    async def branching() -> None:
        assert loop.branch(Branch(node=0, words="make it blue"))
        await loop.run([])
        assert not loop.branch(Branch(node=0, words="later"))

    asyncio.run(asyncio.wait_for(branching(), 60))

    assert [node.origin for node in loop.tree.nodes] == ["upsampled", "branched"]
    assert studio.said[-1] == "rewrite make it blue 0"
    assert loop.tree.best is not None
    assert loop.tree.best.node == 1
    assert loop.tree.state == "succeeded"


def test_a_branch_of_a_stopped_tree_leaves_the_rest_of_it_stopped():
    studio = FakeStudio(critique(5.0))
    tree = grown(studio, begun(max_rewrites=1))
    cut = tree.nodes[1].model_copy(update={"media": None, "critique": None})
    stopped = tree.model_copy(update={"nodes": (tree.nodes[0], cut), "state": "stopped"})
    loop = Loop(stopped, studio, studio, studio, lambda: None)

    async def branching() -> None:
        assert loop.branch(Branch(node=0, words="make it blue"))
        await loop.run([])

    asyncio.run(asyncio.wait_for(branching(), 60))

    assert [node.stage for node in loop.tree.nodes] == ["done", "generating", "done"]
    assert loop.tree.state == "stopped"


def test_stopping_lets_go_of_what_is_not_made_and_keeps_what_is():
    studio = FakeStudio(critique(5.0))

    async def stopping() -> Loop:
        waits = asyncio.Event()

        async def never(job_id: str, request: Made, queued: object) -> MediaReference:
            if len(studio.kept) > 6:
                waits.set()
                await asyncio.Event().wait()
            return reference(f"{job_id}-0", seed=7)

        studio.make = never  # type: ignore[method-assign]
        tree = begun()
        loop = Loop(tree, studio, studio, studio, lambda: None)
        running = asyncio.create_task(loop.run(unfinished(tree)))
        await waits.wait()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await loop.stop()
        return loop

    tree = asyncio.run(asyncio.wait_for(stopping(), 60)).tree

    assert tree.state == "stopped"
    assert [node.stage for node in tree.nodes] == ["done", "generating"]
    assert studio.given_up == [tree.nodes[1].job_id]
    assert tree.best is not None


def test_a_result_whose_file_went_before_the_critic_saw_it_is_made_again():
    studio = FakeStudio(EngineError("out of order"), critique(9.5))
    failed = grown(studio, begun(max_rewrites=0))
    first = failed.nodes[0]
    assert first.media is not None
    studio.lost.add(first.media.id)

    tree = grown(studio, failed)

    (node,) = tree.nodes
    assert node.media is not None
    assert (node.media.id != first.media.id, node.stage, node.request) == (True, "done", first.request)
    assert [request.sampling.seed for request in studio.made.values()] == [7, 7]


def test_a_judged_result_whose_file_went_stays_as_it_is_and_leads_on():
    studio = FakeStudio(critique(5.0))
    judged = grown(studio, begun(max_rewrites=0))
    assert judged.nodes[0].media is not None
    studio.lost.add(judged.nodes[0].media.id)

    tree = grown(studio, with_node(judged, branched(judged, Branch(node=0, words="blue"))), [1])

    assert [node.stage for node in tree.nodes] == ["done", "done"]
    assert tree.nodes[0] == judged.nodes[0]
