"""The verbs of `/v1/refinements`."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any, cast
from weakref import WeakValueDictionary

import structlog

from backend.broadcast import Broadcast
from backend.jobs.admission import Admission
from backend.jobs.promised import PromisedJobs
from backend.jobs.service import JobService
from backend.media import MediaStore
from backend.refining.loop import Loop, Makes
from backend.refining.roles import Roles
from backend.refining.store import RefinementStore
from studio.errors import BadInput, Busy, Conflict, StorageError, rebuild
from studio.jobs import JobState
from studio.media import MediaReference
from studio.prompting import is_upsampled
from studio.refinements import (
    MAX_NODES,
    Branch,
    Reasoners,
    Refinement,
    RefinementList,
    RefinementSummary,
    branched,
    first_nodes,
    interrupted,
    unfinished,
    with_node,
)
from studio.requests import GenerateImage, GenerateVideo, parse_as, shown
from studio.requests.refine_image import RefineImage

log = structlog.get_logger("orrery.refining")

MAX_RUNNING = 32
"""Refinements at a time; each holds at most one job a candidate."""


@dataclass(frozen=True)
class _Live:
    """A refinement that runs."""

    loop: Loop
    task: asyncio.Task[None]


class RefiningService:
    """The refinements of this server. Lives on the event loop's thread.

    Attributes:
        revision: rises with every change of any of them.
    """

    def __init__(
        self, admission: Admission, roles: Roles, makes: Makes, store: RefinementStore, broadcast: Broadcast
    ) -> None:
        self._admission = admission
        self._roles = roles
        self._makes = makes
        self._store = store
        self._broadcast = broadcast
        self._live: dict[str, _Live] = {}
        # One order at a time for each refinement: an order looks, waits for what runs, and writes.
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self.revision = 0

    async def open(self) -> None:
        """At a server's start: go on with what ran when the last one ended."""
        try:
            returned = await self._store.running()
        except StorageError as error:  # it stays written down; the next start goes on with it, or a person does
            log.error("storage_failed", code=error.code, message=error.message)
            return
        for tree in returned:
            log.warning("refinement_returned", refinement_id=tree.id, nodes=len(tree.nodes))
            self._run(tree, interrupted(tree))

    async def close(self) -> None:
        """Leave off, and write nothing more; what runs goes on at the next start, if it is still there then."""
        for live in self._live.values():
            live.task.cancel()
        await asyncio.gather(*(live.task for live in self._live.values()), return_exceptions=True)

    async def submit(self, payload: Mapping[str, Any]) -> Refinement:
        """Begin a refinement; once this returns, it survives everything.

        Raises:
            BadInput, MediaNotFound, CheckpointNotFound, Conflict: as for the job of its first result.
            NotAllowed: a role is given to an endpoint that this server does not have.
            Busy: so many run already.
        """
        request = await self._parse(payload)
        self._roles.check(request)
        if len(self._live) >= MAX_RUNNING:
            raise Busy(f"{MAX_RUNNING} refinements are running, which is the limit.", hint="Stop one, or wait.")
        tree = Refinement(
            id=secrets.token_hex(6),
            created_at=datetime.now(UTC),
            request=request,
            nodes=first_nodes(request, given=is_upsampled(request.generate.prompt)),
        )
        await self._store.add(tree)
        log.info("refinement_accepted", refinement_id=tree.id, kind=request.generate.kind)
        self._run(tree, unfinished(tree))
        self.changed()
        return tree

    async def get(self, name: str) -> Refinement:
        """A refinement as it is now. Raises RefinementNotFound."""
        live = self._live.get(name)
        return live.loop.seen() if live else await self._store.get(name)

    async def newest(self, limit: int) -> RefinementList:
        """The newest ones, newest first."""
        trees = await self._store.newest(limit)
        return RefinementList(refinements=tuple(RefinementSummary.of(tree) for tree in trees))

    def reasoners(self) -> Reasoners:
        """Who can take each role here."""
        return Reasoners(endpoints=self._roles.endpoints())

    async def branch(self, name: str, asked: Branch) -> Refinement:
        """Go on from a result with a person's own words, whether the others still grow or not.

        Raises:
            RefinementNotFound: there is none.
            BadInput: it has no such result.
            Conflict: the result has not been made, or the tree is as large as it may be.
        """
        async with self._turn(name):
            return await self._branch(name, asked)

    async def _branch(self, name: str, asked: Branch) -> Refinement:
        tree = await self.get(name)
        if asked.node >= len(tree.nodes):
            raise BadInput(f"node is {asked.node}; this refinement has 0 to {len(tree.nodes) - 1}.", param="node")
        if tree.nodes[asked.node].media is None:
            raise Conflict(
                f"Result {asked.node} is not done; only a finished result can be branched.",
                param="node",
                hint="Wait for it, or branch from another result.",
            )
        if len(tree.nodes) >= MAX_NODES:
            raise Conflict(
                f"This refinement has {MAX_NODES} results, which is the limit.", hint="Start another refinement."
            )
        live = self._live.get(name)
        if live is not None and live.loop.branch(asked):
            await self._store.put(live.loop.tree)
            return live.loop.tree
        tree = await self._settled(name)
        node = branched(tree, asked)
        tree = with_node(tree, node).model_copy(update={"state": "running", "error": None, "ended_by": None})
        await self._store.put(tree)
        self._run(tree, [node.number])
        self.changed()
        return tree

    async def stop(self, name: str) -> Refinement:
        """Begin nothing more, let go of what is not made, and keep what is. Raises RefinementNotFound, Conflict."""
        async with self._turn(name):
            live = self._growing(name)
            if live is None:
                tree = await self._settled(name)
                raise Conflict(f"Refinement {name} is {tree.state}; only a running one can be stopped.")
            live.task.cancel()
            with suppress(asyncio.CancelledError):
                await live.task
            await live.loop.stop()
            return live.loop.tree

    async def resume(self, name: str) -> Refinement:
        """Go on with one that failed or was stopped, at the first thing that is missing.

        Raises:
            RefinementNotFound: there is none.
            Conflict: it runs, or nothing of it is missing.
        """
        async with self._turn(name):
            return await self._resume(name)

    async def _resume(self, name: str) -> Refinement:
        if self._growing(name) is not None:
            raise Conflict(f"Refinement {name} is running.", hint="Wait until it ends, or stop it first.")
        tree = await self._settled(name)
        if tree.state == "succeeded":
            raise Conflict(
                f"Refinement {name} has succeeded; there is nothing to resume.", hint="Branch from a result."
            )
        self._roles.check(tree.request)
        nodes = tuple(node.model_copy(update={"resting": False}) for node in tree.nodes)
        tree = tree.model_copy(update={"state": "running", "error": None, "ended_by": None, "nodes": nodes})
        await self._store.put(tree)
        self._run(tree, unfinished(tree))
        self.changed()
        return await self.get(name)

    async def _parse(self, payload: Mapping[str, Any]) -> RefineImage:
        """What is asked for, its first result completed and looked at as a job would be."""
        made: Any = payload.get("generate")
        if not isinstance(made, Mapping):
            raise BadInput(
                f"generate is {shown(made)}; expected the request for the first result.",
                param="generate",
                hint="Send a request as for POST /v1/jobs, with kind generate_image or generate_video.",
            )
        said = dict(cast(Mapping[str, Any], made))
        try:
            accepted = await self._admission.admit(said)
        except BadInput as error:
            param = f"generate.{error.param}" if error.param else "generate"
            raise rebuild(error.code, error.message, param, error.hint) from None
        generate = {**accepted.request.model_dump(mode="json"), "checkpoint": accepted.checkpoint, "upsample": False}
        return parse_as(RefineImage, {**payload, "generate": generate})

    def _growing(self, name: str) -> _Live | None:
        """The live one, unless nothing of it grows any more: it may be shown as ended before it is let go of."""
        live = self._live.get(name)
        return None if live is None or live.loop.is_over else live

    async def _settled(self, name: str) -> Refinement:
        """The tree of one whose chains are over, once that is written down."""
        live = self._live.get(name)
        if live is not None:
            with suppress(asyncio.CancelledError):
                await asyncio.shield(live.task)
        return await self._store.get(name)

    def changed(self) -> None:
        """Tell every page that refinements are others now; also when an import has brought some."""
        self.revision += 1
        self._broadcast.publish("system", {"refinement_revision": self.revision})

    def _run(self, tree: Refinement, numbers: Iterable[int]) -> None:
        loop = Loop(tree, self._roles, self._makes, self._store, self.changed)
        task = asyncio.create_task(loop.run(numbers), name=f"refinement {tree.id}")
        self._live[tree.id] = _Live(loop, task)
        task.add_done_callback(partial(self._ended, tree.id))

    def _turn(self, name: str) -> asyncio.Lock:
        return self._turns.setdefault(name, asyncio.Lock())

    def _ended(self, name: str, task: asyncio.Task[None]) -> None:
        if (live := self._live.get(name)) is not None and live.task is task:
            del self._live[name]
        if not task.cancelled() and (error := task.exception()) is not None:
            # It stays written down as running: the next start goes on with it, and so does a person's resume.
            log.error("refinement_broke", refinement_id=name, exc_info=error)
        self.changed()


class JobMaker:
    """Hands requests to the queue and waits for what comes of them."""

    def __init__(self, jobs: JobService, store: MediaStore) -> None:
        self._jobs = PromisedJobs(jobs)
        self._store = store

    async def make(
        self, job_id: str, request: GenerateImage | GenerateVideo, waits: Callable[[bool], None]
    ) -> MediaReference:
        """What a job makes, whether it is yet to be queued, runs already, or has ended before.

        Args:
            job_id, request: of the job.
            waits: told whether it is queued.

        Raises:
            StudioError: it was refused, failed, or was cancelled, and why.
        """
        payload = request.model_dump(mode="json")
        job = await self._jobs.succeeded(job_id, payload, lambda job: waits(job.state is JobState.QUEUED))
        return next(made for made in job.results if made.type in ("image", "video"))

    async def give_up(self, job_id: str) -> None:
        """Cancel a job if there is one that has not ended."""
        await self._jobs.give_up(job_id)

    def holds(self, made: MediaReference) -> bool:
        """Whether the file of a result is still there."""
        return self._store.holds(made.id, made.mime)
