"""Requests about a tuning that come while something else is done with it."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from backend.tuning.news import TuningNews
from backend.tuning.running import TuningLoop, TuningParts
from backend.tuning.service import TuningService
from studio.data_folder import DataFolder
from studio.errors import Conflict, StorageError
from studio.tuning import Stepped
from studio.tuning.presets import RECIPE
from studio.tuning.tunings import OPEN, ResumeTuning, StartTuning, Tuning, TuningProgress, TuningSave, TuningState


class Server:
    """What a service works with: rows in memory, a device that is never free, and a shelf that does what it is told."""

    def __init__(self, root: Path, *tunings: Tuning) -> None:
        self.rows = {one.id: one for one in tunings}
        self.meanwhile: Callable[[], None] = lambda: None
        self.told: list[Any] = []
        self.starts_with = "pocket"
        own: Any = self
        self.parts = TuningParts(
            folder=DataFolder(root),
            store=own,
            news=TuningNews(own),
            shelf=own,
            datasets=own,
            device=own,
            checkpoint_folder=lambda name: root / name,
            evaluate=self.evaluate,
            measure_drift=self.measure_drift,
        )
        self.service = TuningService(self.parts, own, lambda name: None)

    def publish(self, key: str, value: Any) -> None:
        asyncio.get_running_loop()  # pages are told on its thread alone
        self.told.append(value)

    async def get(self, name: str) -> Any:
        """A tuning, or a data set."""
        await asyncio.sleep(0)
        return self.rows[name] if name in self.rows else SimpleNamespace(tasks=("generator",))

    async def add(self, tuning: Tuning) -> None:
        await self.put(tuning)

    async def listing(self, limit: int) -> tuple[Tuning, ...]:
        await asyncio.sleep(0)
        return tuple(self.rows.values())

    def is_taken(self, name: str) -> bool:
        return False

    @property
    def active(self) -> Any:
        return SimpleNamespace(id=self.starts_with)

    def forget(self, tuning: Tuning) -> None:
        pass

    async def remove(self, tuning_id: str) -> None:
        del self.rows[tuning_id]

    def serving(self, name: str) -> Any:
        return SimpleNamespace(installed=True, preset=SimpleNamespace(title="Pocket"))

    async def put(self, tuning: Tuning) -> None:
        await asyncio.sleep(0)
        self.rows[tuning.id] = tuning

    @asynccontextmanager
    async def lend(self, *asked: Any) -> AsyncGenerator[None]:
        asked[-1]("the jobs in the queue")
        await asyncio.Event().wait()
        yield

    look = lend

    async def open(self) -> list[Tuning]:
        return [one for one in self.rows.values() if one.state in OPEN]

    def keep(self, tuning: Tuning, save: TuningSave, name: str) -> None:
        self.meanwhile()

    async def evaluate(self, tuning: Tuning, save: TuningSave) -> TuningSave:
        self.meanwhile()
        return save.model_copy(update={"comparison": "grid"})

    async def measure_drift(self, tuning: Tuning, save: TuningSave) -> TuningSave:
        return save


def save_at(step: int) -> TuningSave:
    return TuningSave(step=step, name=f"grasp@{step}", makes="adapter", size_bytes=1, created_at=datetime.now(UTC))


def tuning_in(state: TuningState, *saves: TuningSave, id: str = "4e7a00c3d2b1", **changes: Any) -> Tuning:
    recipe = {"task": "generator", "name": "grasp", "checkpoint": "pocket", "data": "cups", **changes}
    return Tuning(
        id=id,
        recipe=RECIPE.validate_python(recipe),
        checkpoint_title="Pocket",
        version="0",
        state=state,
        created_at=datetime.now(UTC),
        progress=TuningProgress(state=state),
        saves=saves,
    )


def test_a_save_that_comes_while_another_is_kept_stays(tmp_path: Path):
    tuning = tuning_in("stopped", save_at(100))
    server = Server(tmp_path, tuning)

    def come() -> None:
        server.rows[tuning.id] = tuning.model_copy(update={"saves": (save_at(100), save_at(200))})

    server.meanwhile = come
    found = asyncio.run(server.service.keep(tuning.id, 100, "best"))
    assert [(save.step, save.kept_as) for save in found.saves] == [(100, ("best",)), (200, ())]
    assert server.told[-1]["tuning_revision"] == 1


def test_a_save_that_is_kept_while_it_is_evaluated_keeps_its_name(tmp_path: Path):
    tuning = tuning_in("running", save_at(100))
    server = Server(tmp_path, tuning)
    loop = TuningLoop(tuning, server.parts)

    def keep() -> None:
        server.rows[tuning.id] = loop.tuning = loop.tuning.with_save(100, kept_as=("best",))

    server.meanwhile = keep
    asyncio.run(loop._see(save_at(100)))
    assert [(save.kept_as, save.comparison) for save in loop.tuning.saves] == [(("best",), "grid")]
    found = asyncio.run(server.service.evaluate(tuning.id, 100))
    assert [(save.kept_as, save.comparison) for save in found.saves] == [(("best",), "grid")]


def test_of_two_requests_at_once_one_resumes(tmp_path: Path):
    tuning = tuning_in("stopped")
    server = Server(tmp_path, tuning)

    async def act() -> list[Any]:
        resumed = (server.service.resume(tuning.id, ResumeTuning()) for _ in range(2))
        found = await asyncio.gather(*resumed, return_exceptions=True)
        await server.service.close()
        return found

    one, other = asyncio.run(act())
    assert one.state == "waiting"
    assert isinstance(other, Conflict)
    assert "is waiting" in other.message


def test_of_two_tunings_of_one_name_at_once_one_begins(tmp_path: Path):
    server = Server(tmp_path)
    asked = StartTuning(recipe=tuning_in("waiting").recipe)

    async def act() -> list[Any]:
        found = await asyncio.gather(*(server.service.start(asked) for _ in range(2)), return_exceptions=True)
        await server.service.close()
        return found

    _, other = asyncio.run(act())
    assert isinstance(other, Conflict)
    assert len(server.rows) == 1


def test_a_tuning_whose_save_is_in_use_is_not_deleted(tmp_path: Path):
    save = save_at(100).model_copy(update={"makes": "checkpoint"})
    whole = tuning_in("succeeded", save, lora=None)
    later = tuning_in("stopped", id="000000000000", name="later", checkpoint="grasp@100")
    server = Server(tmp_path, whole, later)

    async def act() -> None:
        server.starts_with = "grasp@100"
        with pytest.raises(Conflict, match="grasp@100 is the default checkpoint"):
            await server.service.remove(whole.id)
        server.starts_with = "pocket"
        await server.service.resume(later.id, ResumeTuning())
        with pytest.raises(Conflict, match="The tuning later began with grasp@100"):
            await server.service.remove(whole.id)
        await server.service.close()
        await server.service.remove(whole.id)

    asyncio.run(act())
    assert list(server.rows) == [later.id]


def test_a_point_of_a_curve_that_is_not_taken_is_written_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("backend.tuning.running.STORAGE_RETRY_S", 0.0)
    server = Server(tmp_path)
    kept: list[int] = []
    faults = [StorageError("The database is busy.")]

    async def keep_step(tuning_id: str, event: Stepped) -> None:
        if faults:
            raise faults.pop()
        kept.append(event.step)

    monkeypatch.setattr(server, "keep_step", keep_step, raising=False)
    loop = TuningLoop(tuning_in("running"), server.parts)
    figures = {"loss": 1.0, "gradient_norm": 1.0, "learning_rate": 1.0, "seconds_per_step": 1.0}
    asyncio.run(loop._heard(Stepped(step=1, steps=2, **figures)))
    assert kept == [1]


def test_a_resumed_tuning_goes_on_with_more_steps_or_less_memory(tmp_path: Path):
    stopped = tuning_in("stopped")
    done = tuning_in("succeeded", id="000000000000", name="done")
    done = done.model_copy(update={"progress": TuningProgress(state="succeeded", step=500, steps=500)})
    server = Server(tmp_path, stopped, done)

    async def act() -> tuple[Tuning, Tuning]:
        for steps in (None, 500):
            with pytest.raises(Conflict, match="is succeeded; only a stopped or failed one"):
                await server.service.resume(done.id, ResumeTuning(steps=steps))
        found = (
            await server.service.resume(stopped.id, ResumeTuning(checkpoints_activations=True)),
            await server.service.resume(done.id, ResumeTuning(steps=800)),
        )
        await server.service.close()
        return found

    smaller, longer = asyncio.run(act())
    assert smaller.recipe.optimisation.checkpoints_activations
    assert (longer.recipe.optimisation.steps, longer.progress.steps) == (800, 800)


def test_nothing_is_told_any_more_of_a_check_that_is_deleted(tmp_path: Path):
    tuning = tuning_in("checking")
    server = Server(tmp_path, tuning)

    async def act() -> None:
        await server.service.open()
        await asyncio.sleep(0)
        assert server.parts.news.progress.keys() == {tuning.id}
        await server.service.remove(tuning.id)

    asyncio.run(act())
    assert server.rows == {}
    assert server.parts.news.progress == {}
