"""The verbs of `/v1/runs`."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from weakref import WeakValueDictionary

import structlog

from backend.arena.reasoners import Reasoners
from backend.checkpoints.adapters import AdapterFolder
from backend.checkpoints.catalogue import CheckpointCatalogue
from backend.evaluation.answering import Answerer, ReasonerAnswers
from backend.evaluation.benchmarks import BenchmarkService
from backend.evaluation.exporting import run_archive
from backend.evaluation.generating import Generators
from backend.evaluation.given import GivenRuns
from backend.evaluation.inspecting import answered_page
from backend.evaluation.judging import JudgingService
from backend.evaluation.questions import QuestionDraftService
from backend.evaluation.run_settings import settings_of_run
from backend.evaluation.running import RunLoop
from backend.evaluation.store import RunStore
from backend.media import MediaStore
from backend.version import VERSION
from studio.errors import BadInput, Busy, Conflict, StorageError
from studio.evaluation import Answer, Benchmark, Form, MarkChange, Scores, ScoreTable
from studio.evaluation.comparing import compare, table
from studio.evaluation.corrections import newest
from studio.evaluation.curves import CurveList, draw_curve, trainings
from studio.evaluation.drawing_up import draw_up
from studio.evaluation.runs import AnsweredItems, EvaluationRun, RunList, StartRun

log = structlog.get_logger("orrery.evaluation")

MAX_RUNNING = 8
"""Runs at a time; each asks several items at once."""

MAX_COMPARED = 200
"""Newest runs of a benchmark among which saves of a training are looked for."""


@dataclass(frozen=True)
class _LiveRun:
    """A run that asks."""

    loop: RunLoop
    task: asyncio.Task[None]


class RunService:
    """The runs of this server. Lives on the event loop's thread.

    Args:
        changed: called after every change of any of them.
    """

    def __init__(
        self,
        *,
        benchmarks: BenchmarkService,
        store: RunStore,
        reasoners: Reasoners,
        generators: Generators,
        catalogue: CheckpointCatalogue,
        adapters: AdapterFolder,
        media: MediaStore,
        judging: JudgingService,
        questions: QuestionDraftService,
        changed: Callable[[], None],
    ) -> None:
        self._benchmarks = benchmarks
        self._store = store
        self._reasoners = reasoners
        self._generators = generators
        self._catalogue = catalogue
        self._adapters = adapters
        self._media = media
        self._judging = judging
        self._questions = questions
        self._changed = changed
        self._given = GivenRuns(store, changed)
        self._live: dict[str, _LiveRun] = {}
        # One order at a time for each run: an order looks, waits for what runs, and writes.
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        # Between the look at how many run and the place of one more.
        self._beginning = asyncio.Lock()

    async def open(self) -> None:
        """At a server's start: go on with what ran when the last one ended."""
        try:
            returned = await self._store.running()
            for run in returned:
                if run.form == "policy":
                    await self._given.stop(run)
                    continue
                log.warning("run_returned", run_id=run.id, answered=run.num_answered)
                await self._begin(run)
        except StorageError as error:  # they stay written down; the next start goes on with them, or a person does
            log.error("storage_failed", code=error.code, message=error.message)

    async def close(self) -> None:
        """Leave off, and write nothing more; what runs goes on at the next start."""
        for live in self._live.values():
            live.task.cancel()
        await asyncio.gather(*(live.task for live in self._live.values()), return_exceptions=True)

    async def start(self, asked: StartRun) -> EvaluationRun:
        """Begin a run; once this returns, it survives everything.

        Raises:
            BenchmarkNotFound: there is no such benchmark.
            BadInput: there is no such reasoner or adapter, or a setting cannot be used.
            CheckpointNotFound, Conflict: of a benchmark of requests: the checkpoint is unknown or cannot be loaded.
            Busy: so many run already.
        """
        async with self._beginning:
            run_id = await self._start(asked)
        self._changed()
        return await self.get(run_id)

    async def _start(self, asked: StartRun) -> str:
        found = await self._benchmarks.get(asked.benchmark)
        settings = await asyncio.to_thread(settings_of_run, found.benchmark, asked.settings)
        is_given = found.form == "policy"
        name, title, precision = _driver(asked) if is_given else self._answerer(found.form, asked)
        if asked.adapter is not None:
            self._adapters.path(asked.adapter.name)
            title = f"{title} + {asked.adapter.name}"
        num_items = min(asked.num_items or found.num_items, found.num_items)
        run = EvaluationRun(
            id=secrets.token_hex(6),
            title=asked.title or title,
            benchmark=found.name,
            benchmark_id=found.id,
            benchmark_title=found.title,
            form=found.form,
            reasoner=name,
            reasoner_title=title,
            adapter=asked.adapter,
            precision=precision,
            version=VERSION,
            settings=settings,
            num_items=num_items,
            num_planned=num_items * settings.trials,
            created_at=datetime.now(UTC),
        )
        await self._store.add(run)
        log.info("run_accepted", run_id=run.id, benchmark=run.benchmark, reasoner=run.reasoner)
        if not is_given:
            await self._begin(run)
        return run.id

    async def give(self, run_id: str, answers: Sequence[Answer]) -> EvaluationRun:
        """Keep answers of a policy's run, as `GivenRuns.give`. Raises RunNotFound, BadInput, Conflict."""
        await self._given.give(await self._store.get(run_id), answers)
        return await self.get(run_id)

    async def get(self, run_id: str) -> EvaluationRun:
        """A run as it is now. Raises RunNotFound."""
        return self._now(await self._store.get(run_id))

    async def listing(self, limit: int, benchmark: str | None = None) -> RunList:
        """The newest ones, newest first, of one benchmark's version or of all. Raises BenchmarkNotFound."""
        version = (await self._benchmarks.get(benchmark)).id if benchmark else None
        found = await self._store.listing(limit, version)
        return RunList(runs=tuple(self._now(run) for run in found))

    async def stop(self, run_id: str) -> EvaluationRun:
        """Ask nothing more, and keep what is answered. Raises RunNotFound, Conflict."""
        async with self._turn(run_id):
            return await self._stop(run_id)

    async def _stop(self, run_id: str) -> EvaluationRun:
        run = await self.get(run_id)
        if run.form == "policy" and run.state == "running":
            await self._given.stop(run)
            return await self.get(run_id)
        live = self._live.get(run_id)
        if live is None or live.task.done() or run.state != "running":
            raise Conflict(f"Run {run_id} has {run.state}; only a running one can be stopped.")
        live.task.cancel()
        with suppress(asyncio.CancelledError):
            await live.task
        await live.loop.give_up()
        await live.loop.end("succeeded" if _has_everything(await self._store.get(run_id)) else "stopped")
        return await self.get(run_id)

    async def resume(self, run_id: str) -> EvaluationRun:
        """Ask again what has no text: what was not asked, and what failed; measure what a new metric has not seen.

        Raises:
            RunNotFound: there is none.
            Conflict: it is running, or there is nothing to do.
            Busy: so many run already.
        """
        async with self._turn(run_id), self._beginning:
            return await self._resume(run_id)

    async def _resume(self, run_id: str) -> EvaluationRun:
        run = await self._store.get(run_id)
        if await self._is_live(run):
            raise Conflict(f"Run {run_id} is running.", hint="Wait until it ends, or stop it first.")
        if _has_everything(run):
            raise Conflict(f"Run {run_id} has an answer to everything.", hint="Start another run.")
        if run.form == "policy":
            hint = f"Use orrery evaluate-policy --run {run_id}."
            raise Conflict(f"A policy drives run {run_id}, which this server does not start.", hint=hint)
        self._refuse_more()
        run = run.model_copy(update={"state": "running", "error": None})
        await self._store.put(run)
        await self._begin(run)
        self._changed()
        return await self.get(run_id)

    async def export(self, run_id: str) -> Iterator[bytes]:
        """A zip of a run with its benchmark. Raises RunNotFound."""
        return await run_archive(self._store, self._media, run_id)

    async def remove(self, run_id: str) -> None:
        """Forget a run that has ended, with its answers. Raises RunNotFound, Conflict."""
        async with self._turn(run_id):
            await self._remove(run_id)

    async def _remove(self, run_id: str) -> None:
        run = await self.get(run_id)
        if await self._is_live(run) or (run.form == "policy" and run.state == "running"):
            raise Conflict(f"Run {run_id} is running.", hint="Stop it first.")
        if self._judging.is_at_work(run_id) or self._questions.is_at_work(run_id):
            raise Conflict(f"A reasoner is at work on run {run_id}.", hint="Wait until it has ended.")
        await self._store.remove(run_id)
        self._changed()

    async def scores(self, run_id: str, judge: str | None = None) -> Scores:
        """What its answers are worth, drawn up from them now.

        Args:
            judge: whose verdicts count; none takes the only one there is.

        Raises:
            RunNotFound: there is none.
        """
        run = await self._store.get(run_id)
        benchmark = await self._store.benchmark(run)
        answers, verdicts = await self._store.answers(run_id), await self._store.verdicts(run_id)
        chosen = judge or next(iter(run.judges), None)
        return await asyncio.to_thread(draw_up, benchmark, answers, verdicts, chosen)

    async def table(self, run_ids: Sequence[str], metric: str | None = None, judge: str | None = None) -> ScoreTable:
        """Runs of one benchmark beside each other, category by category or field by field, the best marked.

        Raises:
            RunNotFound: there is no such run.
            BadInput: they are not of one benchmark, or there is no such metric.
        """
        runs = [await self._store.get(run_id) for run_id in dict.fromkeys(run_ids)]
        if len({run.benchmark_id for run in runs}) != 1:
            raise BadInput(
                f"The runs are of {len({run.benchmark_id for run in runs})} benchmarks; expected one.", param="runs"
            )
        names = _distinct([run.title for run in runs], [run.id for run in runs])
        scored = {name: await self.scores(run.id, judge) for name, run in zip(names, runs, strict=True)}
        return table(scored, metric, "fields" if runs[0].form == "fields" else "categories")

    async def curves(self, benchmark: str, baseline: str | None = None, judge: str | None = None) -> CurveList:
        """The saves of trainings on a benchmark's version.

        Args:
            benchmark: its name, or the id of a version.
            baseline: the run that they are held against; none is that of the checkpoint that the training began with.

        Raises:
            BenchmarkNotFound, RunNotFound: there is no such benchmark or baseline.
            BadInput: the baseline is of another benchmark, or cannot be compared with the saves.
        """
        version = (await self._benchmarks.get(benchmark)).id
        named = await self._store.get(baseline) if baseline else None
        if named is not None and named.benchmark_id != version:
            raise BadInput(f"Run {baseline} is of another benchmark than {benchmark}.", param="baseline")
        runs = await self._store.listing(MAX_COMPARED, version)
        found = trainings([run for run in runs if run.num_answered], named, self._tuned_from)
        drawn = {run.id for training in found for run in training.runs}
        scores = {run_id: await self.scores(run_id, judge) for run_id in drawn}
        return CurveList(curves=tuple(draw_curve(training, scores) for training in found))

    async def changes(self, before: str, after: str, judge: str | None = None) -> tuple[MarkChange, ...]:
        """Items that changed between two runs of one benchmark, the most first. Raises RunNotFound, BadInput."""
        first, second = [await self._store.get(run_id) for run_id in (before, after)]
        if first.benchmark_id != second.benchmark_id:
            raise BadInput("The runs are of two benchmarks; expected one.", param="other")
        return compare(await self.scores(before, judge), await self.scores(after, judge))

    async def answers(
        self, run_id: str, *, category: str = "", state: str = "", offset: int = 0, limit: int = 50
    ) -> AnsweredItems:
        """A page of items with their answers and marks.

        Args:
            category: of the items; empty is all.
            state: of a mark that an item must have: read, unparsed or failed; empty is all.

        Raises:
            RunNotFound: there is none.
        """
        run = await self._store.get(run_id)
        benchmark = await self._store.benchmark(run)
        corrections = newest(await self._store.corrections(run.benchmark_id))
        scores, answers = await self.scores(run_id), await self._store.answers(run_id)

        page = partial(answered_page, self._media, benchmark, answers, scores.marks_by_item, corrections)
        return await asyncio.to_thread(page, category=category, state=state, offset=offset, limit=limit)

    def _now(self, run: EvaluationRun) -> EvaluationRun:
        live = self._live.get(run.id)
        if live is None:
            return run
        return run.model_copy(update={"spent_s": live.loop.spent_s, "eta_s": live.loop.eta_s})

    def _answerer(self, form: Form, asked: StartRun) -> tuple[str, str, str]:
        """Name, title and precision of who answers. Raises BadInput, CheckpointNotFound, Conflict, Busy."""
        if form == "generation":
            self._refuse_more()
            return self._generators.named(asked)
        name = asked.reasoner or self._catalogue.active.id
        self._reasoners.check(name, "reasoner")
        self._refuse_more()
        reasoner = next(one for one in self._reasoners.listing() if one.name == name)
        if reasoner.endpoint and asked.adapter is not None:
            raise BadInput(f"{name} is an endpoint, which cannot use an adapter of this server.", param="adapter")
        precision = "" if reasoner.endpoint else self._generators.precision_of(self._catalogue.named(name))
        return name, reasoner.title, precision

    def _tuned_from(self, name: str) -> str:
        """The checkpoint that one was tuned from; empty where it was not, or is gone."""
        return self._catalogue.named(name).preset.tuned_from if name in self._catalogue.names else ""

    def _refuse_more(self) -> None:
        if len(self._live) >= MAX_RUNNING:
            raise Busy(f"{MAX_RUNNING} runs are running, which is the limit.", hint="Stop one, or wait.")

    async def _begin(self, run: EvaluationRun) -> None:
        benchmark = await self._store.benchmark(run)
        loop = RunLoop(run, benchmark, self._answers(run, benchmark), self._store, self._changed)
        task = asyncio.create_task(loop.run(), name=f"run {run.id}")
        self._live[run.id] = _LiveRun(loop, task)
        task.add_done_callback(partial(self._ended, run.id))

    def _answers(self, run: EvaluationRun, benchmark: Benchmark) -> Answerer:
        if run.form == "generation":
            return self._generators.answers(run, benchmark)
        return ReasonerAnswers(run, benchmark, self._reasoners, self._media)

    def _turn(self, run_id: str) -> asyncio.Lock:
        return self._turns.setdefault(run_id, asyncio.Lock())

    async def _is_live(self, run: EvaluationRun) -> bool:
        """Whether its loop still asks; one that has written down its end is waited for."""
        live = self._live.get(run.id)
        if live is not None and run.state != "running":
            await asyncio.wait({live.task})
            return False
        return live is not None

    def _ended(self, run_id: str, task: asyncio.Task[None]) -> None:
        if (live := self._live.get(run_id)) is not None and live.task is task:
            del self._live[run_id]
        if not task.cancelled() and (error := task.exception()) is not None:
            # It stays written down as running: the next start goes on with it, and so does a person's resume.
            log.error("run_broke", run_id=run_id, exc_info=error)
        self._changed()


def _has_everything(run: EvaluationRun) -> bool:
    """Whether nothing is left to ask. Of a generation something may be left to measure."""
    return run.num_answered == run.num_planned and run.form != "generation"


def _driver(asked: StartRun) -> tuple[str, str, str]:
    """Name, title and precision of the policy. Raises BadInput."""
    if not asked.reasoner:
        raise BadInput("reasoner is empty; expected the policy that drives.", param="reasoner")
    return asked.reasoner, asked.reasoner, ""


def _distinct(names: Sequence[str], ids: Sequence[str]) -> list[str]:
    """Each name once: those that several runs have get their ids behind them."""
    return [name if names.count(name) == 1 else f"{name} ({own})" for name, own in zip(names, ids, strict=True)]
