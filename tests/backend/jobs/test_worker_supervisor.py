"""A worker is started, started again after a death, laid to sleep and roused; and says how its checkpoint is."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from backend.jobs.worker_supervisor import WorkerSupervisor
from backend.messages import CheckpointMoved, LoadCheckpoint
from backend.worker.engine_slot import LET_GO, EngineSlot
from engine_fakes import FakeEngine, Over
from studio.checkpoints import Checkpoint
from studio.presets import CheckpointPreset

SPECK = Checkpoint("speck", CheckpointPreset(id="speck", title="speck", summary=""), Path("speck"), True)
READY = CheckpointMoved("ready", "float32")
ASLEEP = CheckpointMoved("asleep", LET_GO)


class FakeProcess:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.pid: int | None = None
        self.told: list[str] = []

    def start(self) -> None:
        self.pid = 7
        self.told.append("start")

    def send(self, command: object) -> None:
        self.told.append(type(command).__name__)


def kept(act: Callable[[WorkerSupervisor, FakeProcess], Awaitable[None]]) -> tuple[list[str], list[str]]:
    """What a process was told, and the states that were said."""
    process, states = FakeProcess(), list[str]()

    async def run() -> None:
        supervisor = WorkerSupervisor(process, SPECK, "cpu", lambda: states.append(supervisor.status.state))  # type: ignore[arg-type]
        supervisor.start()
        supervisor.moved(READY)
        await act(supervisor, process)

    asyncio.run(run())
    return process.told, states


def test_one_whose_memory_was_let_go_is_started_again_when_it_is_roused():
    async def act(supervisor: WorkerSupervisor, process: FakeProcess) -> None:
        supervisor.sleep()
        supervisor.moved(ASLEEP)
        assert supervisor.status.detail == LET_GO
        process.pid = None
        supervisor.died()
        supervisor.start()  # a pause after an older death may end now
        assert supervisor.status.state == "asleep"
        supervisor.rouse()
        supervisor.moved(READY)

    told, states = kept(act)
    assert told == ["start", "LoadCheckpoint", "SleepEngine", "start", "LoadCheckpoint"]
    assert states == ["ready", "asleep", "asleep", "loading", "ready"]


def test_one_that_keeps_its_weights_on_the_host_only_loads():
    async def act(supervisor: WorkerSupervisor, process: FakeProcess) -> None:
        supervisor.sleep()
        supervisor.rouse()
        supervisor.moved(ASLEEP)  # said before it heard that it was roused
        supervisor.moved(READY)

    told, states = kept(act)
    assert told == ["start", "LoadCheckpoint", "SleepEngine", "LoadCheckpoint"]
    assert states == ["ready", "asleep", "loading", "ready"]


def test_one_that_is_roused_before_it_has_gone_is_started_again_at_once():
    async def act(supervisor: WorkerSupervisor, process: FakeProcess) -> None:
        supervisor.sleep()
        supervisor.rouse()
        process.pid = None
        supervisor.died()

    told, states = kept(act)
    assert told[-2:] == ["start", "LoadCheckpoint"]
    assert states[-1] == "loading"


def test_one_that_dies_after_it_was_roused_is_lost():
    async def act(supervisor: WorkerSupervisor, process: FakeProcess) -> None:
        supervisor.sleep()
        supervisor.rouse()
        supervisor.moved(READY)
        process.pid = None
        supervisor.died()

    _, states = kept(act)
    assert states[-1] == "lost"


class Line:
    """What a seat says, until its process ends."""

    def __init__(self) -> None:
        self.said: list[tuple[str, str]] = []

    def report(self, message: Any) -> None:
        self.said.append((message.state, message.detail))

    def end(self) -> None:
        raise Over


class Sleepy(FakeEngine):
    """Can sleep, as on a GPU."""

    can_sleep = True

    def sleep(self) -> None:
        self.calls.append("sleep")

    def wake(self) -> None:
        self.calls.append("wake")


LOAD = LoadCheckpoint(Path("nowhere"), build=False, device="auto")


def test_a_seat_whose_engine_can_sleep_wakes_the_same_one():
    line, engine = Line(), Sleepy()
    seat = EngineSlot(line, engine.load)  # type: ignore[arg-type]
    seat.load(LOAD)
    seat.sleep()
    assert seat.engine is None
    seat.load(LOAD)
    assert seat.engine is engine
    assert engine.calls == ["sleep", "wake"]
    assert [state for state, _ in line.said] == ["loading", "ready", "asleep", "loading", "ready"]
    assert line.said[2][1] == "fake in host memory"


def test_a_seat_whose_engine_cannot_ends_its_process():
    line, engine = Line(), Sleepy()
    engine.can_sleep = False
    seat = EngineSlot(line, engine.load)  # type: ignore[arg-type]
    seat.load(LOAD)
    with pytest.raises(Over):
        seat.sleep()
    assert line.said[-1] == ("asleep", LET_GO)
