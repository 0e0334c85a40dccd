"""Fans that run: a job of the policy for each branch, all at once, then a reasoner that looks at what each foresees."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

from backend.arena.reasoners import Reasoners
from backend.evaluation.measuring import read_actions
from backend.imagining.kept import Imaginings
from backend.imagining.results import result_of
from backend.jobs.promised import PromisedJobs
from backend.media import MediaStore
from studio.errors import FanNotFound, StudioError
from studio.evaluation.judge import ask_until_usable
from studio.fans import Fan, FanBranch, FanRequest, ranked, read_verdict, score_question
from studio.jobs import Failure

T = TypeVar("T")


class FanService:
    """Lives on the event loop's thread; what it knows ends with the server."""

    def __init__(self, jobs: PromisedJobs, store: MediaStore, reasoners: Reasoners) -> None:
        self._store = store
        self._reasoners = reasoners
        self._fans = Imaginings[Fan](jobs, "fan", FanNotFound)
        self.get = self._fans.get
        self.cancel = self._fans.cancel
        self.close = self._fans.close

    def begin(self, request: FanRequest) -> Fan:
        """Start one.

        Raises:
            Busy: as many as may run do.
            BadInput: there is no such reasoner.
        """
        if request.judge is not None:
            self._reasoners.check(request.judge, "judge")
        return self._fans.begin(lambda own: Fan(id=own, request=request, branches=request.branches), self._run)

    async def _run(self, fan: Fan) -> None:
        numbers = range(len(fan.branches))
        policies = await _together(self._decide(fan, number) for number in numbers)
        judge = fan.request.judge or policies[0]
        try:
            await _together(self._score(fan, number, judge) for number in numbers)
        except StudioError as error:
            self._fans.change(fan.id, unranked=Failure.of(error))
        else:
            self._fans.change(fan.id, ranking=ranked(self.get(fan.id).branches))

    async def _decide(self, fan: Fan, number: int) -> str:
        """The checkpoint that decided."""
        request, branch = fan.request, fan.branches[number]
        payload = {
            **request.asked(request.start_image, branch.seed),
            "prompt": branch.prompt,
            "kind": "run_policy",
            "checkpoint": request.checkpoint,
            "state": request.state,
            "num_actions": request.num_actions,
            "decode_video": True,
        }
        job = await self._fans.made(fan.id, payload)
        rows = await asyncio.to_thread(read_actions, self._store.file(result_of(job, "actions").id))
        actions = tuple(tuple(row) for row in rows.tolist())
        video, paths = result_of(job, "video"), request.paths(actions)
        self._change(fan.id, number, job=job.id, actions=actions, video=video, paths=paths)
        return job.checkpoint

    async def _score(self, fan: Fan, number: int, judge: str) -> None:
        video = self.get(fan.id).branches[number].video
        assert video is not None, "every branch was decided"
        async with self._reasoners.asking(judge, {video.id: self._store.file(video.id)}, patient=True) as asking:
            question = score_question(fan.request.prompt, asking.parts[0])
            verdict = await ask_until_usable(asking.ask, question, read_verdict)
        self._change(fan.id, number, score=verdict.score, reason=verdict.reason)

    def _change(self, own: str, number: int, **changes: object) -> None:
        branches: list[FanBranch] = list(self.get(own).branches)
        branches[number] = branches[number].model_copy(update=changes)
        self._fans.change(own, branches=tuple(branches))


async def _together(works: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """What all of them come to. Raises what the first that fails does, and ends the others."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
