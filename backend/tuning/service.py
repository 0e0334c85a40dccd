"""The verbs of `/v1/tunings`."""

from __future__ import annotations

import asyncio
import csv
import io
import secrets
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import structlog

from backend.checkpoints.catalogue import CheckpointCatalogue
from backend.tuning.running import TuningLoop, TuningParts, data_of
from backend.version import VERSION
from studio.errors import BadInput, Conflict, MediaNotFound, StorageError
from studio.tuning import Recipe
from studio.tuning.tunings import (
    ResumeTuning,
    StartTuning,
    Tuning,
    TuningCurves,
    TuningList,
    TuningProgress,
    TuningSave,
)

log = structlog.get_logger("orrery.tuning")


class TuningService:
    """The tunings of this server. Lives on the event loop's thread.

    Args:
        parts: what a tuning works with.
        catalogue: checkpoints that a tuning may begin with.
        check_benchmark: raises unless there is a benchmark of this name.
    """

    def __init__(
        self, parts: TuningParts, catalogue: CheckpointCatalogue, check_benchmark: Callable[[str], Any]
    ) -> None:
        self._parts = parts
        self._catalogue = catalogue
        self._check_benchmark = check_benchmark
        self._live: dict[str, tuple[TuningLoop, asyncio.Task[None]]] = {}
        self._turn = asyncio.Lock()  # of requests that look at a tuning first and change it then

    async def open(self) -> None:
        """At a server's start: go on with what ran or waited when the last one ended."""
        try:
            for tuning in await self._parts.store.open():
                log.warning("tuning_returned", tuning_id=tuning.id, step=tuning.progress.step)
                self._begin(tuning)
        except StorageError as error:  # they stay written down; the next start goes on with them
            log.error("storage_failed", code=error.code, message=error.message)

    async def close(self) -> None:
        """Let trainers save and end; what runs goes on at the next start."""
        tasks = [task for _, task in self._live.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def check(self, asked: StartTuning) -> Tuning:
        """Look at the data of a recipe and at what fits; the tuning becomes "checked", and can be started then.

        Raises:
            BadInput, CheckpointNotFound, Conflict, DatasetNotFound, BenchmarkNotFound: it cannot begin.
        """
        return await self._accept(asked, checks=True)

    async def start(self, asked: StartTuning) -> Tuning:
        """Begin a tuning; once this returns, it survives everything. Raises as `check`."""
        return await self._accept(asked, checks=False)

    async def start_checked(self, tuning_id: str) -> Tuning:
        """Begin one that was checked. Raises TuningNotFound, Conflict."""
        async with self._turn:
            tuning = await self.get(tuning_id)
            if tuning.state != "checked":
                raise Conflict(f"Tuning {tuning_id} is {tuning.state}; only a checked one can be started.")
            if tuning.error is not None:
                raise Conflict(f"The check of {tuning_id} failed: {tuning.error.message}", hint="Check again.")
            await self._refuse_taken(tuning.name)
            return await self._go_on(tuning_id, tuning.recipe)

    async def get(self, tuning_id: str) -> Tuning:
        """A tuning as it is now. Raises TuningNotFound."""
        return self._now(await self._parts.store.get(tuning_id))

    async def listing(self, limit: int) -> TuningList:
        """The newest ones, newest first."""
        return TuningList(tunings=tuple(self._now(found) for found in await self._parts.store.listing(limit)))

    async def stop(self, tuning_id: str) -> Tuning:
        """Let it save and end; it can be resumed. Raises TuningNotFound, Conflict."""
        loop, task = await self._running(tuning_id, "stopped")
        loop.tell("stop")
        if loop.tuning.state == "waiting":
            await _cancelled(task)
            await self._set(loop.tuning, state="stopped")
        return await self.get(tuning_id)

    async def save(self, tuning_id: str) -> Tuning:
        """Let it save now, and go on. Raises TuningNotFound, Conflict."""
        loop, _ = await self._running(tuning_id, "saved")
        loop.tell("save")
        return await self.get(tuning_id)

    async def resume(self, tuning_id: str, asked: ResumeTuning) -> Tuning:
        """Go on where it was stopped or failed, or with more steps where it has succeeded.

        Raises:
            TuningNotFound, Conflict: there is none, or it cannot go on.
        """
        async with self._turn:
            tuning = await self.get(tuning_id)
            is_lengthened = tuning.state == "succeeded" and (asked.steps or 0) > tuning.progress.step
            if tuning.state not in ("stopped", "failed") and not is_lengthened:
                raise Conflict(
                    f"Tuning {tuning_id} is {tuning.state}; only a stopped or failed one can be resumed.",
                    hint="Give more steps." if tuning.state == "succeeded" else "",
                )
            how = tuning.recipe.optimisation.model_copy(update=asked.model_dump(exclude_none=True))
            return await self._go_on(tuning_id, tuning.recipe.model_copy(update={"optimisation": how}))

    async def keep(self, tuning_id: str, step: int, name: str) -> Tuning:
        """Keep a save under a name of its own, which outlives the tuning.

        Raises:
            TuningNotFound, BadInput: there is no such save.
            Conflict: the name is taken.
            DiskFull, StorageError: it does not fit.
        """
        tuning, save = await self._save_of(tuning_id, step)
        await asyncio.to_thread(self._parts.shelf.keep, tuning, save, name)
        return await self._change_save(tuning_id, step, lambda now: {"kept_as": (*now.kept_as, name)})

    async def evaluate(self, tuning_id: str, step: int) -> Tuning:
        """Show and measure a save now. Raises TuningNotFound, BadInput, and what keeps it from being made."""
        tuning, save = await self._save_of(tuning_id, step)
        seen = await self._parts.evaluate(tuning, save)
        return await self._change_save(tuning_id, step, lambda now: seen.evaluation)

    async def remove(self, tuning_id: str) -> None:
        """Delete a tuning that does not run, with its saves; those that were kept under another name stay.

        Raises:
            TuningNotFound: there is none.
            Conflict: it runs, or a save of it is in use.
            StorageError: its files cannot be removed.
        """
        async with self._turn:
            tuning = await self.get(tuning_id)
            if tuning.state in ("waiting", "running"):
                raise Conflict(f"Tuning {tuning_id} is {tuning.state}.", hint="Stop it first.")
            self._refuse_in_use(tuning)
            if tuning.state == "checking" and (live := self._live.get(tuning_id)):
                await _cancelled(live[1])
            await self._ended(tuning_id)
            tuning = await self.get(tuning_id)
            await asyncio.to_thread(self._parts.shelf.forget, tuning)
            await self._parts.store.remove(tuning_id)
            self._parts.news.advanced(tuning_id, None)
            self._parts.news.changed()

    async def curves(self, tuning_id: str, after: int = 0) -> TuningCurves:
        """What was told of its steps. Raises TuningNotFound."""
        await self.get(tuning_id)
        return TuningCurves(points=await self._parts.store.steps(tuning_id, after))

    async def curves_csv(self, tuning_id: str) -> str:
        """The same as a table: a row a step, a column for each loss. Raises TuningNotFound."""
        points = (await self.curves(tuning_id)).points
        losses = sorted({name for point in points for name in point.losses})
        accuracy = ("accuracy",) if any(point.accuracy is not None for point in points) else ()
        figures = ("loss", *accuracy, "gradient_norm", "learning_rate", "seconds_per_step")
        out = io.StringIO()
        writer = csv.writer(out)
        writer.writerow(("step", *figures, *losses))
        for point in points:
            row = (getattr(point, name) for name in figures)
            writer.writerow((point.step, *row, *(point.losses.get(name, "") for name in losses)))
        return out.getvalue()

    async def sample(self, tuning_id: str, number: int) -> Path:
        """The picture of a sample of the report. Raises TuningNotFound, MediaNotFound."""
        tuning = await self.get(tuning_id)
        samples = tuning.report.samples if tuning.report else ()
        picture = samples[number].picture if number < len(samples) else None
        out = self._parts.folder.tunings / tuning_id
        path = out / picture if picture else None
        if path is None or not path.is_file() or not path.resolve().is_relative_to(out.resolve()):
            raise MediaNotFound(f"Sample {number} of tuning {tuning_id} has no image.")
        return path

    def uses(self, dataset: str) -> bool:
        """Whether a tuning that runs or waits reads a data set."""
        return any(dataset in data_of(loop.tuning.recipe) for loop, _ in self._live.values())

    async def _accept(self, asked: StartTuning, *, checks: bool) -> Tuning:
        recipe = asked.recipe
        found = self._catalogue.serving(recipe.checkpoint)
        if not found.installed:
            raise Conflict(f"{found.preset.title} is not on this machine yet.", param="recipe.checkpoint")
        for name in data_of(recipe):
            info = await self._parts.datasets.get(name)
            if recipe.task not in info.tasks:
                can = f"it is for {' and '.join(info.tasks)}" if info.tasks else info.note
                raise BadInput(f"The data set {name} cannot train the {recipe.task}: {can}.", param="recipe.data")
        for name in recipe.benchmarks if recipe.task == "reasoner" else ():
            await self._check_benchmark(name)
        tuning = Tuning(
            id=secrets.token_hex(6),
            recipe=recipe,
            evaluates_saves=asked.evaluates_saves,
            checkpoint_title=found.preset.title,
            version=VERSION,
            state="checking" if checks else "waiting",
            created_at=datetime.now(UTC),
            progress=TuningProgress(state="checking" if checks else "waiting", steps=recipe.optimisation.steps),
        )
        async with self._turn:
            if not checks:
                await self._refuse_taken(recipe.name)
            await self._parts.store.add(tuning)
            self._begin(tuning)
        log.info("tuning_accepted", tuning_id=tuning.id, task=recipe.task, checkpoint=recipe.checkpoint)
        self._parts.news.changed()
        return tuning

    async def _refuse_taken(self, name: str) -> None:
        others = (await self._parts.store.listing(1000)) if not self._parts.shelf.is_taken(name) else ()
        taken = self._parts.shelf.is_taken(name)
        if taken or any(one.name == name and one.state not in ("checking", "checked") for one in others):
            raise Conflict(
                f"{name} is the name of an adapter, a checkpoint or another tuning.",
                param="recipe.name",
                hint="Use another name, or delete the other one.",
            )

    def _refuse_in_use(self, tuning: Tuning) -> None:
        """Raises Conflict: a checkpoint among its saves is the default one, or what another tuning begins with."""
        defaults = (self._catalogue.active.id, self._catalogue.starts_with)
        begun_with = {loop.tuning.recipe.checkpoint: loop.tuning.name for loop, _ in self._live.values()}
        for save in tuning.saves if tuning.recipe.lora is None else ():
            if save.name in defaults:
                raise Conflict(
                    f"{save.name} is the default checkpoint.", hint="Keep it under a name of its own, and use that."
                )
            if save.name in begun_with:
                raise Conflict(
                    f"The tuning {begun_with[save.name]} began with {save.name}.", hint="Wait for its end, or stop it."
                )

    async def _go_on(self, tuning_id: str, recipe: Recipe) -> Tuning:
        await self._ended(tuning_id)
        tuning = await self.get(tuning_id)
        progress = tuning.progress.model_copy(
            update={"state": "waiting", "eta_s": None, "steps": recipe.optimisation.steps}
        )
        changes = {"state": "waiting", "error": None, "progress": progress, "recipe": recipe}
        tuning = tuning.model_copy(update=changes)
        await self._parts.store.put(tuning)
        self._begin(tuning)
        self._parts.news.changed()
        return tuning

    def _begin(self, tuning: Tuning) -> None:
        loop = TuningLoop(tuning, self._parts)
        task = asyncio.create_task(loop.check() if tuning.state == "checking" else loop.run())
        self._live[tuning.id] = loop, task
        task.add_done_callback(partial(self._let_go, tuning.id))

    def _let_go(self, tuning_id: str, task: asyncio.Task[None]) -> None:
        if (live := self._live.get(tuning_id)) is not None and live[1] is task:
            del self._live[tuning_id]
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("tuning_broke", tuning_id=tuning_id, exc_info=error)

    async def _ended(self, tuning_id: str) -> None:
        """Wait for what is still done with the last save of one that has ended."""
        if live := self._live.get(tuning_id):
            await asyncio.wait([live[1]])

    async def _running(self, tuning_id: str, what: str) -> tuple[TuningLoop, asyncio.Task[None]]:
        tuning = await self.get(tuning_id)
        live = self._live.get(tuning_id)
        if live is None or tuning.state not in ("waiting", "running"):
            raise Conflict(f"Tuning {tuning_id} is {tuning.state}; only a running one can be {what}.")
        return live

    async def _save_of(self, tuning_id: str, step: int) -> tuple[Tuning, TuningSave]:
        tuning = await self.get(tuning_id)
        save = next((one for one in tuning.saves if one.step == step), None)
        if save is None:
            steps = ", ".join(str(one.step) for one in tuning.saves) or "none"
            raise BadInput(f"Tuning {tuning_id} has no save at step {step}; it has {steps}.", param="step")
        return tuning, save

    async def _change_save(
        self, tuning_id: str, step: int, change: Callable[[TuningSave], dict[str, object]]
    ) -> Tuning:
        """Change a save as it is now: others may have come, and it may have changed itself, since it was looked at."""
        async with self._turn:
            tuning, save = await self._save_of(tuning_id, step)
            await self._set(tuning, saves=tuning.with_save(step, **change(save)).saves)
            return await self.get(tuning_id)

    async def _set(self, tuning: Tuning, **changes: object) -> None:
        """Write changes down; a loop that runs goes on from them."""
        live = self._live.get(tuning.id)
        tuning = (live[0].tuning if live else tuning).model_copy(update=changes)
        if live:
            live[0].tuning = tuning
        progress = tuning.progress.model_copy(update={"state": tuning.state})
        await self._parts.store.put(tuning.model_copy(update={"progress": progress}))
        if tuning.state == "stopped":
            self._parts.news.advanced(tuning.id, None)
        self._parts.news.changed()

    def _now(self, stored: Tuning) -> Tuning:
        live = self._live.get(stored.id)
        return stored if live is None else live[0].tuning.model_copy(update={"spent_s": live[0].spent_s})


async def _cancelled(task: asyncio.Task[None]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
