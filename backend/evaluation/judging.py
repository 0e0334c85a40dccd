"""Judges: calibrated on known pairs, then asked about every text that they have not graded."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import structlog

from backend.arena.reasoners import Reasoners
from backend.evaluation.asking import OF_ALL, ask_each
from backend.evaluation.store import CALIBRATION, RunStore
from studio.errors import Conflict, StudioError
from studio.evaluation import FieldVerdict
from studio.evaluation.forms import for_judge
from studio.evaluation.forms.form import ForJudge
from studio.evaluation.judge import (
    Calibration,
    ask_until_usable,
    calibrate,
    grade_question,
    known_pairs,
    read_grade,
)
from studio.evaluation.runs import AskVerdicts, EvaluationRun, JudgeList, Judging
from studio.jobs import Failure

log = structlog.get_logger("orrery.evaluation")


class _Text(NamedTuple):
    """What is judged of an answer."""

    item: str
    trial: int
    said: ForJudge

    @property
    def key(self) -> tuple[str, int, str]:
        """Item, trial and field."""
        return self.item, self.trial, self.said.field


class JudgingService:
    """Asks judges about runs. Lives on the event loop's thread; verdicts that are there are not asked for again.

    Args:
        changed: called after every verdict.
    """

    def __init__(self, store: RunStore, reasoners: Reasoners, changed: Callable[[], None]) -> None:
        self._store = store
        self._reasoners = reasoners
        self._changed = changed
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._progress: dict[str, Judging] = {}

    async def listing(self) -> JudgeList:
        """How judges graded the known pairs."""
        verdicts = await self._store.verdicts(CALIBRATION)
        names = sorted({verdict.judge for verdict in verdicts})
        return JudgeList(judges=tuple(calibrate(name, verdicts) for name in names))

    async def calibration(self, judge: str) -> Calibration:
        """How a judge grades the known pairs; it is asked about those that it has not graded.

        Raises:
            StudioError: it cannot be asked.
        """
        graded = {one.item for one in await self._store.verdicts(CALIBRATION) if one.judge == judge and one.score}
        for pair in known_pairs():
            if pair.id not in graded:
                text = _Text(pair.id, 0, ForJudge("", pair.question, pair.reference, pair.answer))
                verdict = await self._verdict(judge, text)
                await self._store.keep_verdicts(CALIBRATION, [verdict])
        return calibrate(judge, await self._store.verdicts(CALIBRATION))

    async def start(self, run: EvaluationRun, asked: AskVerdicts) -> Judging:
        """Let a judge grade a run; it goes on behind this answer.

        Raises:
            BadInput: there is no such judge.
            Conflict: a judge is at work on the run, or nothing of it can be judged.
        """
        self._reasoners.check(asked.judge, "judge")
        texts = await self._texts(run)
        # From here to the task nothing is awaited, so that of two calls one is refused.
        if run.id in self._tasks:
            raise Conflict(f"A judge is at work on run {run.id}.", hint="Wait until it has ended.")
        if not texts:
            raise Conflict(f"Run {run.id} has no texts to compare.", hint="Judges grade texts and fields of text.")
        self._progress[run.id] = Judging(judge=asked.judge, num_planned=len(texts))
        task = asyncio.create_task(self._judge(run.id, asked, texts), name=f"judge {run.id}")
        self._tasks[run.id] = task
        task.add_done_callback(partial(self._ended, run.id))
        return self._progress[run.id]

    def is_at_work(self, run_id: str) -> bool:
        """Whether a judge is asked about a run."""
        return run_id in self._tasks

    def progress(self, run_id: str) -> Judging | None:
        """A judge that is at work on a run, or what became of the last one."""
        return self._progress.get(run_id)

    async def close(self) -> None:
        """Leave off; what has been said stays."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _texts(self, run: EvaluationRun) -> list[_Text]:
        """Everything that can be judged."""
        benchmark = await self._store.benchmark(run)
        items = {item.id: item for item in benchmark.items}
        return [
            _Text(answer.item, answer.trial, each)
            for answer in await self._store.answers(run.id)
            if answer.item in items
            for each in for_judge(benchmark, items[answer.item], answer)
        ]

    async def _judge(self, run_id: str, asked: AskVerdicts, texts: Sequence[_Text]) -> None:
        try:
            known = await self.calibration(asked.judge)
            if known.trust == "refuse" and not asked.anyway:
                raise Conflict(
                    f"{asked.judge} told {known.num_right} of {known.num_pairs} known pairs apart, too few to count.",
                    param="judge",
                    hint="Use another judge, or send anyway.",
                )
            verdicts = await self._store.verdicts(run_id)
            graded = {(one.item, one.trial, one.field) for one in verdicts if one.judge == asked.judge and one.score}
            missing = [text for text in texts if text.key not in graded]
            self._tell(run_id, num_done=len(texts) - len(missing))

            async def ask(text: _Text) -> None:
                verdict = await self._verdict(asked.judge, text)
                await self._store.keep_verdicts(run_id, [verdict])
                self._tell(run_id, num_done=self._progress[run_id].num_done + 1)

            await ask_each(missing, ask)
        except StudioError as error:
            log.warning("judging_failed", run_id=run_id, judge=asked.judge, reason=error.message)
            self._tell(run_id, error=Failure.of(error))

    async def _verdict(self, judge: str, text: _Text) -> FieldVerdict:
        """A grade, or why there is none."""
        item, trial, (field, *said) = text
        verdict = FieldVerdict(item=item, trial=trial, field=field, judge=judge)
        try:
            async with self._reasoners.asking(judge, {}, patient=True) as asking:
                grade = await ask_until_usable(asking.ask, grade_question(*said), read_grade)
        except OF_ALL:
            raise
        except StudioError as error:
            return verdict.model_copy(update={"why": error.message})
        return verdict.model_copy(update={"score": grade.score, "why": grade.reason})

    def _tell(self, run_id: str, **changes: object) -> None:
        self._progress[run_id] = self._progress[run_id].model_copy(update=changes)
        self._changed()

    def _ended(self, run_id: str, task: asyncio.Task[None]) -> None:
        del self._tasks[run_id]
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("judging_broke", run_id=run_id, exc_info=error)
        self._changed()
