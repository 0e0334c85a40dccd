"""Rollouts that run: each turn is two ordinary jobs, one of the policy and one of forward dynamics."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import structlog

from backend.evaluation.generating import JSON_MIME
from backend.evaluation.measuring import read_actions
from backend.jobs.promised import PromisedJobs
from backend.library.cuts import CutService
from backend.media import MediaStore
from studio.errors import Busy, EngineError, RolloutNotFound, StudioError
from studio.jobs import Failure, Job
from studio.library import CutPart, CutVideo
from studio.requests import shown
from studio.rollouts import Rollout, RolloutChunk, RolloutRequest

log = structlog.get_logger("orrery.imagining")

MAX_KEPT = 32
MAX_RUNNING = 4
"""Each has one job in the queue at a time."""

KeepLastFrame = Callable[[str], Awaitable[str]]
"""From a video's id to that of its last frame's picture."""


class RolloutService:
    """Lives on the event loop's thread; what it knows ends with the server.

    Args:
        keep_last_frame: see `backend.imagining.last_frame`.
    """

    def __init__(self, jobs: PromisedJobs, store: MediaStore, cuts: CutService, keep_last_frame: KeepLastFrame) -> None:
        self._jobs = jobs
        self._store = store
        self._cuts = cuts
        self._keep_last_frame = keep_last_frame
        self._rollouts: dict[str, Rollout] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._current_job: dict[str, str] = {}

    def begin(self, request: RolloutRequest) -> Rollout:
        """Start one.

        Raises:
            Busy: as many as may run do.
        """
        if len(self._tasks) >= MAX_RUNNING:
            raise Busy(f"{MAX_RUNNING} rollouts are running, which is the limit.", hint="Wait for one, or cancel it.")
        self._make_room()
        rollout = Rollout(id=secrets.token_hex(6), request=request)
        self._rollouts[rollout.id] = rollout
        task = asyncio.create_task(self._run(rollout.id, request), name=f"rollout {rollout.id}")
        self._tasks[rollout.id] = task
        task.add_done_callback(lambda _: self._tasks.pop(rollout.id, None))
        return rollout

    def get(self, rollout_id: str) -> Rollout:
        """One as it stands. Raises RolloutNotFound."""
        if rollout_id not in self._rollouts:
            raise RolloutNotFound(f"There is no rollout {shown(rollout_id)}.", hint="They end with the server.")
        return self._rollouts[rollout_id]

    async def cancel(self, rollout_id: str) -> Rollout:
        """End one that runs, and the job that it waits for. Raises RolloutNotFound."""
        self.get(rollout_id)
        if (task := self._tasks.pop(rollout_id, None)) is not None:
            task.cancel()
            self._change(rollout_id, state="cancelled")
            if (job_id := self._current_job.pop(rollout_id, None)) is not None:
                await self._jobs.give_up(job_id)
        return self.get(rollout_id)

    async def close(self) -> None:
        """End all that run; their jobs stay in the queue."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self, rollout_id: str, request: RolloutRequest) -> None:
        try:
            image, state = request.start_image, request.state
            for index in range(request.num_chunks):
                chunk = await self._imagine(rollout_id, request, index, image, state)
                self._change(rollout_id, chunks=(*self.get(rollout_id).chunks, chunk))
                state = chunk.actions[-1] if state is not None else None
                if index + 1 < request.num_chunks:
                    image = await self._keep_last_frame(chunk.video)
            parts = [
                CutPart(media=chunk.video, first=1 if index else 0)  # each begins with the last frame of the one before
                for index, chunk in enumerate(self.get(rollout_id).chunks)
            ]
            whole = await self._cuts.cut(CutVideo(parts=tuple(parts), title=request.prompt[:80]))
            self._change(rollout_id, state="succeeded", video=whole)
        except StudioError as error:
            log.info("rollout_failed", rollout=rollout_id, code=error.code, message=error.message)
            self._change(rollout_id, state="failed", error=Failure.of(error))

    async def _imagine(
        self, rollout_id: str, request: RolloutRequest, index: int, image: str, state: tuple[float, ...] | None
    ) -> RolloutChunk:
        shared: dict[str, Any] = {
            "prompt": request.prompt,
            "embodiment": request.embodiment,
            "action_width": request.action_width,
            "start_image": image,
            "fps": request.fps,
            "sampling": {"seed": request.seed + index},
            **({"resolution": request.resolution} if request.resolution else {}),
        }
        policy = {
            **shared,
            "kind": "run_policy",
            "checkpoint": request.checkpoint,
            "state": state,
            "num_actions": request.num_actions,
            "decode_video": False,
        }
        decided = await self._made(rollout_id, policy)
        rows = await asyncio.to_thread(partial(read_actions, self._store.file(_result(decided, "actions"))))
        actions = tuple(tuple(row) for row in rows[: request.num_imagined].tolist())
        dynamics = {
            **shared,
            "kind": "predict_video",
            "checkpoint": request.dynamics or request.checkpoint,
            "actions": actions,
        }
        predicted = await self._made(rollout_id, dynamics)
        return RolloutChunk(
            policy_job=decided.id, dynamics_job=predicted.id, actions=actions, video=_result(predicted, "video")
        )

    async def _made(self, rollout_id: str, payload: dict[str, Any]) -> Job:
        job_id = self._current_job[rollout_id] = secrets.token_hex(6)
        job = await self._jobs.succeeded(job_id, payload)
        self._current_job.pop(rollout_id, None)
        return job

    def _change(self, rollout_id: str, **changes: Any) -> None:
        self._rollouts[rollout_id] = self._rollouts[rollout_id].model_copy(update=changes)

    def _make_room(self) -> None:
        ended = [rollout_id for rollout_id in self._rollouts if rollout_id not in self._tasks]
        for rollout_id in ended[: max(0, len(self._rollouts) - MAX_KEPT + 1)]:
            del self._rollouts[rollout_id]


def _result(job: Job, kind: str) -> str:
    """Id of the job's video, or of its actions as JSON. Raises EngineError where it has none."""
    for result in job.results:
        if result.type == "video" if kind == "video" else result.mime == JSON_MIME:
            return result.id
    raise EngineError(f"Job {job.id} has made no {kind}.")
