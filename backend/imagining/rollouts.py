"""Rollouts that run: each turn is two ordinary jobs, one of the policy and one of forward dynamics."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

from backend.evaluation.measuring import read_actions
from backend.imagining.kept import Imaginings
from backend.imagining.results import result_of
from backend.jobs.promised import PromisedJobs
from backend.library.cuts import CutService
from backend.media import MediaStore
from studio.errors import RolloutNotFound
from studio.library import CutPart, CutVideo
from studio.rollouts import Rollout, RolloutChunk, RolloutRequest, Simulated

State = tuple[float, ...]
Rows = Sequence[State]

KeepLastFrame = Callable[[str], Awaitable[str]]
"""From a video's id to that of its last frame's picture."""


class SimulatedTables(Protocol):
    """The simulated arm's tables, as `backend.imagining.simulated_tables`."""

    async def look(self, seed: int) -> tuple[str, State]:
        """A table as it begins: id of its picture, and the arm's state. Raises StudioError."""
        ...

    async def play(self, seed: int, actions: Rows, imagined: str, checkpoint: str) -> Simulated:
        """The actions on that table, compared with a video of them. Raises StudioError."""
        ...


class RolloutService:
    """Lives on the event loop's thread; what it knows ends with the server.

    Args:
        keep_last_frame: see `backend.imagining.last_frame`.
    """

    def __init__(
        self,
        jobs: PromisedJobs,
        store: MediaStore,
        cuts: CutService,
        keep_last_frame: KeepLastFrame,
        tables: SimulatedTables,
    ) -> None:
        self._store = store
        self._cuts = cuts
        self._keep_last_frame = keep_last_frame
        self._tables = tables
        self._rollouts = Imaginings[Rollout](jobs, "rollout", RolloutNotFound)
        self.get = self._rollouts.get
        self.cancel = self._rollouts.cancel
        self.close = self._rollouts.close

    def begin(self, request: RolloutRequest) -> Rollout:
        """Start one.

        Raises:
            Busy: as many as may run do.
        """
        return self._rollouts.begin(lambda own: Rollout(id=own, request=request), self._run)

    async def _run(self, rollout: Rollout) -> None:
        request, own = rollout.request, rollout.id
        image, state = request.start_image, request.state
        if request.table is not None:
            image, state = await self._tables.look(request.table)
        assert image is not None, "a request has a picture or a table"
        self._rollouts.change(own, start_image=image)
        checkpoint = ""
        for index in range(request.num_chunks):
            checkpoint, chunk = await self._imagine(own, request, index, image, state)
            self._rollouts.change(own, chunks=(*self.get(own).chunks, chunk))
            state = chunk.actions[-1] if state is not None else None
            if index + 1 < request.num_chunks:
                image = await self._keep_last_frame(chunk.video)
        parts = [
            CutPart(media=chunk.video, first=1 if index else 0)  # each begins with the last frame of the one before
            for index, chunk in enumerate(self.get(own).chunks)
        ]
        whole = await self._cuts.cut(CutVideo(parts=tuple(parts), title=request.prompt[:80]))
        self._rollouts.change(own, video=whole)
        if request.table is not None:
            actions = self.get(own).actions
            simulated = await self._tables.play(request.table, actions, whole.id, checkpoint)
            self._rollouts.change(own, simulated=simulated)

    async def _imagine(
        self, own: str, request: RolloutRequest, index: int, image: str, state: State | None
    ) -> tuple[str, RolloutChunk]:
        """The checkpoint that predicted the frames, and the chunk."""
        shared = request.asked(image, request.seed + index)
        policy: dict[str, Any] = {
            **shared,
            "kind": "run_policy",
            "checkpoint": request.checkpoint,
            "state": state,
            "num_actions": request.num_actions,
            "decode_video": False,
        }
        decided = await self._rollouts.made(own, policy)
        rows = await asyncio.to_thread(read_actions, self._store.file(result_of(decided, "actions").id))
        actions = tuple(tuple(row) for row in rows[: request.num_imagined].tolist())
        dynamics = {
            **shared,
            "kind": "predict_video",
            "checkpoint": request.dynamics or request.checkpoint,
            "actions": actions,
        }
        predicted = await self._rollouts.made(own, dynamics)
        video = result_of(predicted, "video").id
        chunk = RolloutChunk(policy_job=decided.id, dynamics_job=predicted.id, actions=actions, video=video)
        return predicted.checkpoint, chunk
