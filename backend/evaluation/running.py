"""One run: every item is asked as often as the settings say, some at a time, and each answer is kept at once."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable

import structlog

from backend.arena.reasoners import Reasoners
from backend.evaluation.asking import OF_ALL, ask_each
from backend.evaluation.store import RunStore
from backend.media import DECODERS, MediaStore
from studio.captions import sendable
from studio.errors import StudioError
from studio.evaluation import Answer, Benchmark, Item, Measurement
from studio.evaluation.drawing_up import draw_up
from studio.evaluation.forms import FORMS
from studio.evaluation.runs import EvaluationRun, RunState
from studio.jobs import Failure
from studio.prompting.tasks import VIDEO_FPS
from studio.requests import shown

log = structlog.get_logger("orrery.evaluation")


class RunLoop:
    """Asks what is missing of a run. Lives on the event loop's thread.

    Args:
        told: called after every change.
    """

    def __init__(
        self,
        run: EvaluationRun,
        benchmark: Benchmark,
        reasoners: Reasoners,
        media: MediaStore,
        store: RunStore,
        told: Callable[[], None],
    ) -> None:
        self._run = run
        self._benchmark = benchmark
        self._reasoners = reasoners
        self._media = media
        self._store = store
        self._told = told
        self._spent_before = run.spent_s
        self._begun = time.monotonic()
        self._num_asked = 0
        self._num_left = 0

    @property
    def spent_s(self) -> float:
        """Seconds in which the run ran, with those of earlier starts."""
        return round(self._spent_before + time.monotonic() - self._begun, 3)

    @property
    def eta_s(self) -> float | None:
        """Seconds until it ends, at the pace since this start; none before the first answer."""
        if not self._num_asked:
            return None
        return round((time.monotonic() - self._begun) / self._num_asked * self._num_left, 1)

    async def run(self) -> None:
        """Ask everything that has no text yet, then say how it ended."""
        try:
            await self._ask_missing()
        except asyncio.CancelledError:
            raise
        except StudioError as error:
            log.warning("run_failed", run_id=self._run.id, code=error.code, message=error.message)
            await self.end("failed", Failure.of(error))
        else:
            await self.end("succeeded")

    async def end(self, state: RunState, error: Failure | None = None) -> None:
        """Write down how it ended."""
        headline = await headline_of(self._run, self._benchmark, self._store)
        changes = {"state": state, "error": error, "spent_s": self.spent_s, "headline": headline}
        self._run = self._run.model_copy(update=changes)
        await self._store.put(self._run)
        log.info("run_ended", run_id=self._run.id, state=state)
        self._told()

    async def _ask_missing(self) -> None:
        answered = await self._store.answered(self._run.id)
        planned = itertools.product(range(self._benchmark.settings.trials), self._benchmark.items)
        missing = [(item, trial) for trial, item in planned if (item.id, trial) not in answered]
        self._num_left = len(missing)

        async def ask(which: tuple[Item, int]) -> None:
            await self._store.keep_answer(self._run.id, await self._answer(*which))
            self._num_asked += 1
            self._num_left -= 1
            self._told()

        await ask_each(missing, ask)

    async def _answer(self, item: Item, trial: int) -> Answer:
        begun = time.monotonic()
        text, error = "", None
        try:
            text = sendable(await self._said(item, trial))
        except OF_ALL:
            raise
        except StudioError as why:
            log.warning("item_failed", run_id=self._run.id, item=shown(item.id), code=why.code, message=why.message)
            error = Failure.of(why)
        seconds = round(time.monotonic() - begun, 3)
        return Answer(item=item.id, trial=trial, text=text, error=error, seconds=seconds)

    async def _said(self, item: Item, trial: int) -> str:
        files = {name: self._media.file(name) for name in item.media}
        async with self._reasoners.asking(self._run.reasoner, files, patient=True, adapter=self._run.adapter) as asking:
            question = FORMS[self._benchmark.form].question(item, self._benchmark, asking.parts, trial)
            return await asking.ask(question.model_copy(update=await self._pixels(item)))

    async def _pixels(self, item: Item) -> dict[str, int]:
        """The settings' pixels, which are of a frame as in the recipes, as a question has them: of a whole clip."""
        settings = self._benchmark.settings
        asked = {"min_pixels": settings.min_pixels, "max_pixels": settings.max_pixels}
        given = {name: pixels for name, pixels in asked.items() if pixels is not None}
        if not given or not item.media:
            return given
        facts = await DECODERS.beside(lambda: self._media.facts(item.media[0]))
        num_frames = 1
        if facts.type == "video":
            num_frames = settings.num_frames or round((facts.duration_s or 0) * (settings.fps or VIDEO_FPS))
        return {name: pixels * max(num_frames, 1) for name, pixels in given.items()}


async def headline_of(run: EvaluationRun, benchmark: Benchmark, store: RunStore) -> Measurement | None:
    """The metric that a run is compared by, of its answers so far; none before the first."""
    answers = await store.answers(run.id)
    if not answers:
        return None
    scores = await asyncio.to_thread(draw_up, benchmark, answers)
    return next(one for one in scores.overall.measurements if one.metric == scores.headline)
