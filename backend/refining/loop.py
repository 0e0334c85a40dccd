"""One refinement while it runs: a task for each chain, and the tree that they grow."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import structlog

from backend.refining.working_time import WorkingTime
from studio.errors import PromptTooLong, StudioError
from studio.jobs import Failure
from studio.media import MediaReference
from studio.prompting import is_upsampled
from studio.prompting.critique import Critique
from studio.prompting.opening import PromptPair
from studio.prompting.refining import Made, RoundSummary
from studio.refinements import (
    Branch,
    Refinement,
    RefinementNode,
    RefinementState,
    branched,
    follower,
    prompt_changes,
    rested,
    rounds_before,
    with_node,
    words_of,
)
from studio.requests import GenerateImage, GenerateVideo, parse_request
from studio.requests.refine_image import RefineImage

log = structlog.get_logger("orrery.refining")

MAX_THRIFT = 3
"""Times that a prompt which the generator finds too long is asked for again, each time at half the length."""


class Loop:
    """Grows one tree until nothing is left to do.

    Every chain writes, generates and judges by itself, so that the generator works on one while critic and rewriter
    are busy with another. What a node has already is not made again.

    Args:
        tree: as it was left.
        answers, makes, keeps: who takes part.
        told: called after every change, with the tree written down.

    Attributes:
        tree: as it is now.
    """

    def __init__(
        self, tree: Refinement, answers: Answers, makes: Makes, keeps: Keeps, told: Callable[[], None]
    ) -> None:
        self.tree = tree
        self._answers = answers
        self._makes = makes
        self._keeps = keeps
        self._told = told
        self._words = words_of(tree)
        self._opening = asyncio.Lock()
        self._chains: set[asyncio.Task[None]] = set()
        self._over = False
        self._time = WorkingTime(tree.spent_s)

    async def run(self, numbers: Iterable[int]) -> None:
        """Grow from these nodes until nothing is left to do. A node that fails ends its chain and no other.

        Raises:
            StorageError: the tree could not be written down.
        """
        for number in numbers:
            self._start(number)
        try:
            while self._chains:
                done, _ = await asyncio.wait(self._chains, return_when=asyncio.FIRST_COMPLETED)
                self._chains -= done
                for chain in done:
                    chain.result()
        finally:
            self._over = True
            for chain in self._chains:
                chain.cancel()
            await asyncio.gather(*self._chains, return_exceptions=True)
        await self._end()

    @property
    def is_over(self) -> bool:
        """Nothing grows any more; it may not be written down yet."""
        return self._over

    def seen(self) -> Refinement:
        """The tree with the time that it has taken until now."""
        return self.tree.model_copy(update={"spent_s": round(self._time.seconds, 3)})

    def branch(self, asked: Branch) -> bool:
        """Begin another chain while the others grow; false when nothing grows any more."""
        if self._over:
            return False
        node = branched(self.tree, asked)
        self.tree = with_node(self.tree, node)
        self._start(node.number)
        return True

    async def stop(self) -> None:
        """After its task was cancelled: let go of the jobs that have not ended, and write down that it was stopped."""
        jobs = [node.job_id for node in self.tree.nodes if node.stage == "generating" and node.job_id is not None]
        await asyncio.gather(*(self._makes.give_up(job_id) for job_id in jobs))
        self.tree = rested(self.tree)
        await self._end(stopped=True)

    def _start(self, number: int) -> None:
        self._chains.add(asyncio.create_task(self._grow(number)))

    async def _grow(self, number: int) -> None:
        """From what a node has to the end of its chain."""
        chain = asyncio.current_task()
        self._time.tell(chain, works=True)
        try:
            await self._grow_on(number)
        finally:
            self._time.tell(chain, works=False)

    async def _grow_on(self, number: int) -> None:
        current: int | None = number
        while current is not None:
            try:
                if not await self._finish(current):
                    return
            except StudioError as error:
                if self._is_superfluous(current):
                    await self._change(current, skipped=True)
                else:
                    log.info("refinement_node_failed", refinement_id=self.tree.id, node=current, code=error.code)
                    await self._change(current, error=Failure.of(error))
                return
            current = await self._go_on(current)

    async def _finish(self, number: int) -> bool:
        """Do to a node what is still to be done; false when it need not be made any more."""
        if self._node(number).stage != "done":
            await self._change(number, error=None)
        node = self._node(number)
        if node.media is not None and node.critique is None and not self._makes.holds(node.media):
            # Its file went before the critic had seen it: the same recipe makes it again.
            await self._change(number, media=None, job_id=None)
        while self._node(number).media is None:
            if self._node(number).request is None and not self._is_superfluous(number):
                await self._write(number)
            if self._is_superfluous(number):
                await self._change(number, skipped=True)
                return False
            try:
                await self._generate(number)
            except PromptTooLong:
                node = self._node(number)
                if node.thrift == MAX_THRIFT or node.origin == "given":
                    raise
                await self._change(number, request=None, job_id=None, changes=(), thrift=node.thrift + 1)
        node = self._node(number)
        assert node.request is not None
        assert node.media is not None
        if node.critique is None:
            critique = await self._answers.judge(
                self.tree.request, node.request, self._words, node.media.id, self._spend
            )
            await self._change(number, critique=critique)
            if self._is_cleared:
                await self._call_off()
        return True

    async def _write(self, number: int) -> None:
        node = self._node(number)
        if node.parent is None:
            await self._open(node)
            return
        parent = self._node(node.parent)
        assert parent.request is not None
        history = rounds_before(self.tree, node)
        revision = Revision(parent.request, self._words, parent.critique, history, node.words, node.thrift)
        draft = await self._answers.rewrite(self.tree.request, revision, self._spend)
        changes = prompt_changes(parent.request.prompt, draft.prompt)
        await self._change(number, request=self._recipe(node, draft), changes=changes)

    async def _open(self, node: RefinementNode) -> None:
        """The first round's prompt is written once, and every candidate has it."""
        made = self.tree.request.generate
        async with self._opening:
            sibling = next(
                (
                    each.request
                    for each in self.tree.nodes
                    if each.parent is None and each.request is not None and each.thrift == node.thrift
                ),
                None,
            )
            if sibling is not None:
                draft = PromptPair(prompt=sibling.prompt, negative_prompt=sibling.negative_prompt)
            elif node.origin == "given":
                draft = PromptPair(prompt=made.prompt, negative_prompt=made.negative_prompt)
            else:
                draft = await self._answers.open(self.tree.request, self._words, node.thrift, self._spend)
            await self._change(node.number, request=self._recipe(node, draft))

    def _recipe(self, node: RefinementNode, draft: PromptPair) -> Made:
        made = self.tree.request.generate
        recipe: dict[str, Any] = {
            **made.model_dump(mode="json"),
            "prompt": draft.prompt,
            "negative_prompt": draft.negative_prompt,
            "written_from": self._words if draft.prompt != self._words else None,
            "upsample": False,
        }
        recipe["sampling"]["seed"] = made.sampling.seed + node.candidate
        if is_upsampled(draft.prompt):  # size and length stand in the caption, as in training
            recipe |= {"use_resolution_template": False, "use_duration_template": False}
        request = parse_request(recipe)
        assert isinstance(request, GenerateImage | GenerateVideo)
        return request

    async def _generate(self, number: int) -> None:
        node = self._node(number)
        if node.job_id is None:
            # Written down before it is queued: a kill in between must not queue it twice.
            await self._change(number, job_id=secrets.token_hex(6))
            node = self._node(number)
        assert node.job_id is not None
        assert node.request is not None
        chain = asyncio.current_task()
        media = await self._makes.make(node.job_id, node.request, lambda waits: self._time.tell(chain, works=not waits))
        self._time.tell(chain, works=True)
        await self._change(number, media=media)
        parent = None if node.parent is None else self._node(node.parent).media
        if parent is not None:
            await self._keeps.link(media.id, parent.id)

    async def _go_on(self, number: int) -> int | None:
        """The node that follows a judged one, if one does."""
        following = follower(self.tree, self._node(number), self._time.seconds)
        if isinstance(following, RefinementNode):
            await self._put(following)
            return following.number
        if self.tree.ended_by is None or following == "good_enough":
            self.tree = self.tree.model_copy(update={"ended_by": following})
        return None

    async def _call_off(self) -> None:
        """One result is good enough: those that are only on their way are not made."""
        for node in self.tree.nodes:
            if node.job_id is not None and self._is_superfluous(node.number):
                await self._makes.give_up(node.job_id)

    def _is_superfluous(self, number: int) -> bool:
        """Whether another result is good enough, and nobody asked for this one by name."""
        node = self._node(number)
        return self._is_cleared and node.media is None and node.origin != "branched"

    @property
    def _is_cleared(self) -> bool:
        good_enough = self.tree.request.good_enough
        return any(node.critique.clears(good_enough) for node in self.tree.nodes if node.critique)

    def _node(self, number: int) -> RefinementNode:
        return self.tree.nodes[number]

    def _spend(self, num_tokens: int) -> None:
        self.tree = self.tree.model_copy(update={"spent_tokens": self.tree.spent_tokens + num_tokens})

    async def _change(self, number: int, **changes: Any) -> None:
        await self._put(self._node(number).model_copy(update=changes))

    async def _put(self, node: RefinementNode) -> None:
        # In one piece before anything is awaited: two chains that grow at once must not take the same number.
        self.tree = with_node(self.tree, node).model_copy(update={"spent_s": round(self._time.seconds, 3)})
        await self._keeps.put(self.tree)
        self._told()

    async def _end(self, *, stopped: bool = False) -> None:
        failed = next((node.error for node in self.tree.nodes if node.stage == "failed"), None)
        whole = all(node.stage in ("done", "skipped", "failed") for node in self.tree.nodes)
        state: RefinementState = "stopped" if stopped or not whole else "failed" if failed else "succeeded"
        spent_s = round(self._time.seconds, 3)
        self.tree = self.tree.model_copy(update={"state": state, "error": failed, "spent_s": spent_s})
        await self._keeps.put(self.tree)
        self._told()
        log.info("refinement_ended", refinement_id=self.tree.id, state=state, ended_by=self.tree.ended_by)


Spend = Callable[[int], None]
"""Told of tokens that were read and written."""


@dataclass(frozen=True)
class Revision:
    """What a rewriter is told.

    Attributes:
        last: the recipe whose prompts are revised.
        words: what the person asked for.
        critique: of what it made; none where nobody has judged it.
        history: the rounds before, the first one first.
        wish: what a person wants to be different.
        thrift: how often the answer is to be halved.
    """

    last: Made
    words: str
    critique: Critique | None
    history: Sequence[RoundSummary]
    wish: str = ""
    thrift: int = 0


class Answers(Protocol):
    """Whoever takes the three roles (`backend.refining.roles.Roles`). Everything raises StudioErrors."""

    async def open(self, request: RefineImage, words: str, thrift: int, spend: Spend) -> PromptPair:
        """The first round's prompts."""
        ...

    async def judge(self, request: RefineImage, made: Made, words: str, media_id: str, spend: Spend) -> Critique:
        """What is wrong with a result."""
        ...

    async def rewrite(self, request: RefineImage, revision: Revision, spend: Spend) -> PromptPair:
        """Both prompts anew."""
        ...


class Makes(Protocol):
    """Whoever makes results (`backend.refining.service.JobMaker`)."""

    async def make(self, job_id: str, request: Made, waits: Callable[[bool], None]) -> MediaReference:
        """What a job makes; `waits` is told whether it is queued. Raises StudioErrors."""
        ...

    async def give_up(self, job_id: str) -> None:
        """Cancel a job if it has not ended."""
        ...

    def holds(self, made: MediaReference) -> bool:
        """Whether the file of a result is still there."""
        ...


class Keeps(Protocol):
    """Whoever writes trees down (`backend.refining.store.RefinementStore`)."""

    async def put(self, tree: Refinement) -> None:
        """Write one down as it is now."""
        ...

    async def link(self, media_id: str, made_after: str) -> None:
        """Write down which result another one was made after."""
        ...
