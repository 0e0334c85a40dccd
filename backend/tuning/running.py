"""One tuning from its turn to its end: what the trainer tells becomes rows, progress and saves."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path

import structlog

from backend.jobs.retrying import STORAGE_RETRY_S
from backend.tuning.datasets import DatasetFolder
from backend.tuning.device import TrainingDevice
from backend.tuning.news import TuningNews
from backend.tuning.process import Trainer, Word, trainer
from backend.tuning.saves import SaveShelf
from backend.tuning.store import TuningStore
from studio.data_folder import DataFolder
from studio.errors import StorageError, StudioError, rebuild
from studio.jobs import Failure
from studio.tuning import (
    Checked,
    Ended,
    Preparing,
    Recipe,
    Refused,
    Saved,
    Stepped,
    TrialsBegun,
    Tried,
    TuningEvent,
    TuningWork,
)
from studio.tuning.tunings import Tuning, TuningSave, TuningState

log = structlog.get_logger("orrery.tuning")


class TuningParts:
    """What every loop uses."""

    def __init__(
        self,
        *,
        folder: DataFolder,
        store: TuningStore,
        news: TuningNews,
        shelf: SaveShelf,
        datasets: DatasetFolder,
        device: TrainingDevice,
        checkpoint_folder: Callable[[str], Path],
        evaluate: Callable[[Tuning, TuningSave], Awaitable[TuningSave]],
        measure_drift: Callable[[Tuning, TuningSave], Awaitable[TuningSave]],
    ) -> None:
        self.folder = folder
        self.store = store
        self.news = news
        self.shelf = shelf
        self.datasets = datasets
        self.device = device
        self.checkpoint_folder = checkpoint_folder
        self.evaluate = evaluate
        self.measure_drift = measure_drift


class TuningLoop:
    """Works on one tuning. Lives on the event loop's thread.

    Attributes:
        tuning: as it is now.
    """

    def __init__(self, tuning: Tuning, parts: TuningParts) -> None:
        self.tuning = tuning
        self._parts = parts
        self._trainer: Trainer | None = None
        self._begun: float | None = None
        self._spent_before = tuning.spent_s
        self._stops = False
        self._folders: tuple[Path, ...] = ()
        self._evaluations: list[asyncio.Task[None]] = []

    async def check(self) -> None:
        """Look at the data and what fits, and say so; nothing is trained."""
        try:
            async with self._parts.device.look(self._num_gpus, self._waits_for) as lent:
                work = await self._work(lent.devices, only_checks=True)
                async with trainer(work) as self._trainer:
                    async for event in self._trainer.events():
                        await self._heard(event)
        except StudioError as error:
            await self._fail(error)
        finally:
            self._trainer = None

    async def run(self) -> None:
        """Wait for the device, train from where it was left off, and write down how that ended."""
        unseen: list[TuningSave] = []
        try:
            async with self._parts.device.lend(self.tuning.name, self._num_gpus, self._waits_for) as lent:
                if self._stops:
                    await self._end("stopped")
                    return
                self._begun = time.monotonic()
                await self._put(state="running", device=", ".join(lent.devices))
                await self._find_saves()
                unseen += [save for save in self.tuning.saves if not (save.comparison or save.runs or save.note)]
                work = await self._work(lent.devices)
                async with trainer(work) as self._trainer:
                    if self._stops:
                        self._trainer.tell("stop")
                    async for event in self._trainer.events():
                        save = await self._heard(event)
                        if save is not None and lent.alone:
                            unseen.append(save)
                        elif save is not None:
                            self._evaluate(save)
        except StudioError as error:
            await self._fail(error)
        finally:
            self._trainer = None
        for save in unseen:
            self._evaluate(save)
        await asyncio.gather(*self._evaluations)

    def tell(self, word: Word) -> None:
        """A command to the trainer; `stop` counts also before it has started."""
        self._stops = self._stops or word == "stop"
        if self._trainer is not None:
            self._trainer.tell(word)

    @property
    def spent_s(self) -> float:
        """Seconds in which it ran, with those of earlier starts."""
        running = 0.0 if self._begun is None else time.monotonic() - self._begun
        return round(self._spent_before + running, 1)

    async def _heard(self, event: TuningEvent) -> TuningSave | None:
        progress = self.tuning.progress
        match event:
            case Checked(report=report):
                is_check = self.tuning.state == "checking"
                await self._put(report=report, state="checked" if is_check else self.tuning.state)
                if is_check:
                    self._parts.news.advanced(self.tuning.id, None)
            case Preparing(doing=doing, done=done, total=total):
                self._advance(doing=doing, done=done, total=total)
            case Stepped():
                await _until_stored(lambda: self._parts.store.keep_step(self.tuning.id, event))
                left = event.steps - event.step
                self._advance(
                    doing="",
                    step=event.step,
                    steps=event.steps,
                    loss=event.loss,
                    seconds_per_step=event.seconds_per_step,
                    eta_s=round(event.seconds_per_step * left, 1),
                )
            case Saved():
                return await self._keep(event)
            case TrialsBegun() | Tried():  # of trials alone (`backend.tuning.trying`)
                pass
            case Ended(step=step, is_whole=is_whole):
                self.tuning = self.tuning.model_copy(update={"progress": progress.model_copy(update={"step": step})})
                await self._end("succeeded" if is_whole else "stopped")
            case Refused(error=error):
                await self._fail(error.error())
        return None

    async def _keep(self, saved: Saved) -> TuningSave:
        save = await asyncio.to_thread(self._parts.shelf.appear, self.tuning, saved)
        save = save.model_copy(update={"created_at": datetime.now(UTC)})
        await self._put_save(save)
        log.info("tuning_saved", tuning_id=self.tuning.id, save=save.name)
        return save

    async def _find_saves(self) -> None:
        """Keep saves that a trainer had written when it and the server were killed, before that was written down."""
        known = {save.step for save in self.tuning.saves}
        saves = self._out / "saves"
        for folder in sorted(saves.glob(f"{self.tuning.name}@*")) if saves.is_dir() else ():
            step = folder.name.rpartition("@")[2]
            if step.isdecimal() and int(step) not in known:
                size_bytes = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
                told = Saved(
                    step=int(step), folder=f"saves/{folder.name}", makes=self.tuning.recipe.makes, size_bytes=size_bytes
                )
                await self._keep(told)

    def _evaluate(self, save: TuningSave) -> None:
        if self.tuning.evaluates_saves:
            self._evaluations.append(asyncio.create_task(self._see(save)))

    async def _see(self, save: TuningSave) -> None:
        for act in (self._parts.evaluate, self._parts.measure_drift):
            try:
                save = await act(self.tuning, save)
            except StudioError as error:
                log.warning("save_not_evaluated", save=save.name, code=error.code, message=error.message)
                save = save.model_copy(update={"note": f"{error.message} {error.hint}".strip()})
            # Meanwhile it may have been kept under a name, and others may have come.
            await self._put(saves=self.tuning.with_save(save.step, **save.evaluation).saves)

    async def _put_save(self, save: TuningSave) -> None:
        """A save that is made again, as after a kill, is known by the names that it was kept under."""
        kept_as = tuple(name for one in self.tuning.saves if one.step == save.step for name in one.kept_as)
        others = [one for one in self.tuning.saves if one.step != save.step]
        save = save.model_copy(update={"kept_as": kept_as})
        await self._put(saves=tuple(sorted([*others, save], key=lambda one: one.step)))

    async def _work(self, devices: tuple[str, ...], *, only_checks: bool = False) -> TuningWork:
        recipe, parts = self.tuning.recipe, self._parts
        checkpoint = parts.checkpoint_folder(recipe.checkpoint)
        data = {name: await parts.datasets.ready(name) for name in data_of(recipe)}
        self._folders = (*data.values(), checkpoint, self._out)
        return TuningWork(
            recipe=recipe,
            only_checks=only_checks,
            checkpoint=checkpoint,
            data=data,
            out=self._out,
            cache=parts.folder.latents,
            device=devices[0],
            beside=devices[1:],
        )

    @property
    def _num_gpus(self) -> int:
        return self.tuning.recipe.optimisation.num_gpus

    @property
    def _out(self) -> Path:
        return self._parts.folder.tunings / self.tuning.id

    def _waits_for(self, what: str) -> None:
        self._advance(waits_for=what)

    def _advance(self, **changes: object) -> None:
        progress = self.tuning.progress.model_copy(update={"state": self.tuning.state, **changes})
        self.tuning = self.tuning.model_copy(update={"progress": progress})
        self._parts.news.advanced(self.tuning.id, progress)

    async def _fail(self, error: StudioError) -> None:
        log.warning("tuning_failed", tuning_id=self.tuning.id, code=error.code, message=error.message)
        state = "checked" if self.tuning.state == "checking" else "failed"
        await self._end(state, Failure.of(_without(error, (*self._folders, self._parts.folder.root))))

    async def _end(self, state: TuningState, error: Failure | None = None) -> None:
        # The page has it already; it must not be taken for one that runs.
        await _until_stored(lambda: self._put(state=state, error=error))
        self._parts.news.advanced(self.tuning.id, None)
        log.info("tuning_ended", tuning_id=self.tuning.id, state=state)

    async def _put(self, **changes: object) -> None:
        self.tuning = self.tuning.model_copy(update={"spent_s": self.spent_s, **changes})
        progress = self.tuning.progress.model_copy(update={"state": self.tuning.state})
        self.tuning = self.tuning.model_copy(update={"progress": progress})
        await self._parts.store.put(self.tuning)
        self._parts.news.changed()


async def _until_stored(write: Callable[[], Awaitable[None]]) -> None:
    """Write until the database takes it: neither an end nor a point of a curve is worth a training."""
    while True:
        try:
            return await write()
        except StorageError as error:
            log.error("storage_failed", code=error.code, message=error.message)
            await asyncio.sleep(STORAGE_RETRY_S)


def _without(error: StudioError, folders: tuple[Path, ...]) -> StudioError:
    """An error as it is told over a socket, where it is nobody's business in which folders a server keeps things."""
    message, hint = error.message, error.hint
    for folder in folders:
        message, hint = (text.replace(f"{folder}/", "").replace(str(folder), folder.name) for text in (message, hint))
    return rebuild(error.code, message, error.param, hint)


def data_of(recipe: Recipe) -> tuple[str, ...]:
    """Names of the data sets of a recipe, each once."""
    named = [blend.data for blend in recipe.data] if recipe.task == "reasoner" else [recipe.data]
    return tuple(dict.fromkeys(named))
