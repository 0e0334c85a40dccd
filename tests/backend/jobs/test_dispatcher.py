"""One engine's dispatcher, without an engine."""

import asyncio
from pathlib import Path
from typing import Any

from backend.jobs.dispatcher import Dispatcher
from backend.messages import CheckpointMoved
from studio.checkpoints import Checkpoint
from studio.presets import CheckpointPreset

SPECK = Checkpoint("speck", CheckpointPreset(id="speck", title="speck", summary=""), Path("speck"), True)


class FakeProcess:
    """A worker that is there, and hears nothing."""

    pid = 7

    def start(self) -> None:
        """It runs already."""

    def send(self, command: object) -> None:
        """Nobody asks what was sent."""


class SlowJobs:
    """A queue whose next job is written down as taken, and is only then told of."""

    def __init__(self) -> None:
        self.is_asked, self.may_answer = asyncio.Event(), asyncio.Event()

    async def claim(self, checkpoint: str) -> None:
        self.is_asked.set()
        await self.may_answer.wait()


def test_an_engine_that_is_taking_a_job_is_not_idle_and_is_not_let_go_with_it():
    async def run() -> None:
        live_jobs: Any = SlowJobs()
        process: Any = FakeProcess()
        deliver: list[Any] = []

        def make(told: Any) -> Any:
            deliver.append(told)
            return process

        broadcast: Any = None
        changes = asyncio.Queue[bool]()
        is_leaving = asyncio.Event()
        nothing: Any = None
        dispatcher = Dispatcher(
            live_jobs=live_jobs,
            broadcast=broadcast,
            checkpoint=SPECK,
            device="cpu",
            make_process=make,
            lock=asyncio.Lock(),
            on_change=lambda: changes.put_nowait(dispatcher.idle) if is_leaving.is_set() else None,
            may_claim=lambda: not is_leaving.is_set(),
        )
        task = asyncio.create_task(dispatcher.run(nothing))
        assert dispatcher.idle
        deliver[0](CheckpointMoved("ready", "float32"))
        await asyncio.wait_for(live_jobs.is_asked.wait(), 60)

        assert not dispatcher.idle

        # Somebody wants it off the device meanwhile: they are told once there was no job after all.
        is_leaving.set()
        live_jobs.may_answer.set()
        assert await asyncio.wait_for(changes.get(), 60)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(run())
