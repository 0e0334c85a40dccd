"""Orders to one refinement that come at once, or while it still writes: none of what was answered is lost."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, cast

import pytest

from backend.broadcast import Broadcast
from backend.refining.service import RefiningService
from critiques import critique
from refining_fakes import FakeStudio, Made, begun
from studio.errors import Conflict, ServerUnreachable
from studio.media import MediaReference
from studio.refinements import Branch, Refinement


class SlowStudio(FakeStudio):
    """Makes nothing until it may, and takes its time to let go."""

    def __init__(self) -> None:
        super().__init__(critique(8.0))
        self.may_make = asyncio.Event()

    def check(self, request: object) -> None:
        """Everybody is there."""

    async def make(self, job_id: str, request: Made, waits: Callable[[bool], None]) -> MediaReference:
        await self.may_make.wait()
        return await super().make(job_id, request, waits)

    async def give_up(self, job_id: str) -> None:
        for _ in range(20):
            await asyncio.sleep(0)
        await super().give_up(job_id)

    async def put(self, tree: Refinement) -> None:
        await asyncio.sleep(0)
        await super().put(tree)

    async def get(self, name: str) -> Refinement:
        await asyncio.sleep(0)
        return self.trees[name]

    async def running(self) -> list[Refinement]:
        return [tree for tree in self.trees.values() if tree.state == "running"]


class Lingering(SlowStudio):
    """What it has written is seen a while before whoever wrote it goes on."""

    async def put(self, tree: Refinement) -> None:
        await super().put(tree)
        for _ in range(20):
            await asyncio.sleep(0)


def service_of(studio: SlowStudio) -> RefiningService:
    anyone = cast(Any, studio)
    return RefiningService(anyone, anyone, anyone, anyone, Broadcast())


async def ended(service: RefiningService, studio: SlowStudio, name: str) -> Refinement:
    while (await service.get(name)).state == "running" or studio.trees[name].state == "running":
        await asyncio.sleep(0)
    return studio.trees[name]


def within(seconds: float, work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, seconds))


async def made_once(studio: SlowStudio) -> tuple[RefiningService, Refinement]:
    """One that has ended with a single result."""
    service, tree = service_of(studio), begun(max_rewrites=0)
    studio.trees[tree.id] = tree.model_copy(update={"state": "running"})
    studio.may_make.set()
    await service.open()
    return service, await ended(service, studio, tree.id)


def test_two_branches_at_once_are_both_kept():
    async def scene() -> None:
        studio = SlowStudio()
        service, tree = await made_once(studio)

        orders = (service.branch(tree.id, Branch(node=0, words=words, rewrites=0)) for words in ("blue", "red"))
        await asyncio.gather(*orders)

        assert [node.words for node in studio.trees[tree.id].nodes] == ["", "blue", "red"]
        whole = await ended(service, studio, tree.id)
        assert [node.stage for node in whole.nodes] == ["done", "done", "done"]

    within(60, scene())


def test_a_branch_that_comes_while_a_stop_writes_is_kept_and_the_rest_stays_stopped_after_a_kill():
    async def scene() -> None:
        studio = SlowStudio()
        service, tree = await made_once(studio)
        studio.may_make.clear()
        await service.branch(tree.id, Branch(node=0, words="stopped", rewrites=0))
        while studio.trees[tree.id].nodes[1].stage != "generating":
            await asyncio.sleep(0)

        await asyncio.gather(service.stop(tree.id), service.branch(tree.id, Branch(node=0, words="kept", rewrites=0)))
        written = studio.trees[tree.id]
        assert [node.words for node in written.nodes] == ["", "stopped", "kept"]
        assert written.state == "running"
        await service.close()

        studio.may_make.set()
        whole = await _restarted(studio, tree.id)
        assert [node.stage for node in whole.nodes] == ["done", "generating", "done"]
        assert whole.state == "stopped"

    within(60, scene())


def test_one_that_is_seen_to_have_failed_is_resumed_although_its_end_is_still_being_written():
    async def scene() -> None:
        studio = Lingering()
        studio.judged = [ServerUnreachable("Gone for once."), critique(9.5)]
        studio.may_make.set()
        service, tree = service_of(studio), begun(max_rewrites=0)
        studio.trees[tree.id] = tree.model_copy(update={"state": "running"})
        await service.open()
        while studio.trees[tree.id].state == "running":
            await asyncio.sleep(0)

        await service.resume(tree.id)
        whole = await ended(service, studio, tree.id)
        assert (whole.state, whole.nodes[0].stage) == ("succeeded", "done")

    within(60, scene())


def test_one_that_is_seen_to_have_succeeded_stays_so_when_it_is_stopped_while_its_end_is_being_written():
    async def scene() -> None:
        studio = Lingering()
        studio.may_make.set()
        service, tree = service_of(studio), begun(max_rewrites=0)
        studio.trees[tree.id] = tree.model_copy(update={"state": "running"})
        await service.open()
        while studio.trees[tree.id].state == "running":
            await asyncio.sleep(0)

        with pytest.raises(Conflict, match="is succeeded"):
            await service.stop(tree.id)
        assert studio.trees[tree.id].state == "succeeded"

    within(60, scene())


async def _restarted(studio: SlowStudio, name: str) -> Refinement:
    service = service_of(studio)
    await service.open()
    return await ended(service, studio, name)
