"""Runs whose answers are sent to the server: episodes of a policy, which a program beside an arm drives."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from backend.evaluation.running import headline_of
from backend.evaluation.store import RunStore
from studio.errors import Conflict
from studio.evaluation import Answer
from studio.evaluation.marking import sort_answers
from studio.evaluation.runs import EvaluationRun, RunState


class GivenRuns:
    """Takes answers of runs of the form "policy".

    Args:
        changed: called after every change.
    """

    def __init__(self, store: RunStore, changed: Callable[[], None]) -> None:
        self._store = store
        self._changed = changed

    async def give(self, run: EvaluationRun, answers: Sequence[Answer]) -> None:
        """Keep answers; with the last one the run has succeeded. A stopped run continues.

        Raises:
            Conflict: the run is answered by a reasoner.
            BadInput: an answer is to no item or trial of the run.
        """
        if run.form != "policy":
            raise Conflict(f"Run {run.id} is answered by this server; only a policy's episodes can be sent.")
        sort_answers(await self._store.benchmark(run), answers)
        for answer in answers:
            await self._store.keep_answer(run.id, answer)
        now = await self._store.get(run.id)
        await self._put(now, "succeeded" if now.num_answered == now.num_planned else "running")

    async def stop(self, run: EvaluationRun) -> None:
        """Nothing more is expected for now."""
        await self._put(run, "stopped")

    async def _put(self, run: EvaluationRun, state: RunState) -> None:
        spent_s = sum(answer.seconds or 0.0 for answer in await self._store.answers(run.id))
        headline = await headline_of(run, await self._store.benchmark(run), self._store)
        changes = {"state": state, "spent_s": round(spent_s, 3), "headline": headline}
        await self._store.put(run.model_copy(update=changes))
        self._changed()
