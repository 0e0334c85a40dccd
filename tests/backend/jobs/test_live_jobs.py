"""A job that comes to nothing leaves nothing in the store, however it ended."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest

from backend.broadcast import Broadcast, Subscription
from backend.database import open_database
from backend.jobs.eta import Measured, record
from backend.jobs.ledger import Accepted, Ledger
from backend.jobs.live_jobs import LiveJobs, queue_status
from backend.media import MediaStore
from studio.errors import EngineError, MediaNotFound, StorageError
from studio.events import Delta
from studio.jobs import Failure, Progress
from studio.queue import QueueStatus
from studio.requests import GenerateImage

CUBE = GenerateImage(prompt="a red cube")
BLACK = np.zeros((16, 16, 3), np.uint8)
BROKEN = Failure.of(EngineError("It broke."))
ONE, TWO, THREE, STRANGER = (f"00000000000{digit}" for digit in "1239")


@asynccontextmanager
async def board_over(folder: Path, broadcast: Broadcast | None = None) -> AsyncIterator[tuple[LiveJobs, MediaStore]]:
    """Three jobs, of which two run, each with a picture; and a picture of a job that nobody knows."""
    store = MediaStore(folder / "media")
    live_jobs = LiveJobs(Ledger(open_database(folder / "orrery.db")), store, broadcast or Broadcast())
    live_jobs.resident = frozenset({"speck"})
    for job in (ONE, TWO, THREE):
        await live_jobs.move(Ledger.insert, Accepted(job, CUBE, "speck"))
    await live_jobs.claim("speck")
    await live_jobs.claim("speck")
    for job in (ONE, TWO, THREE, STRANGER):
        store.put_image(job, 0, BLACK, CUBE, "speck")
    try:
        yield live_jobs, store
    finally:
        await live_jobs.close()


def left(store: MediaStore) -> list[str]:
    found: list[str] = []
    for job in (ONE, TWO, THREE, STRANGER):
        try:
            store.file(f"{job}-0")
        except MediaNotFound:
            continue
        found.append(job)
    return found


def iter_now(told: Subscription) -> Iterator[Delta]:
    while not told.items.empty():
        change = told.items.get_nowait()
        if isinstance(change, Delta):
            yield change


def test_what_a_failed_or_cancelled_job_has_made_is_removed(tmp_path: Path):
    async def act() -> None:
        async with board_over(tmp_path) as (live_jobs, store):
            await live_jobs.move(Ledger.fail, ONE, BROKEN)
            await live_jobs.move(Ledger.cancel, THREE)  # it was put back into the queue when its worker died
            assert left(store) == [TWO, STRANGER]
            await live_jobs.move(Ledger.succeed, TWO, (), None)
            assert left(store) == [TWO, STRANGER]

    asyncio.run(act())


def test_at_start_whatever_lies_there_of_jobs_that_did_not_succeed_is_swept(tmp_path: Path):
    async def act() -> None:
        async with board_over(tmp_path) as (live_jobs, store):
            await live_jobs.move(Ledger.succeed, ONE, (), None)
            assert await live_jobs.sweep() == 4
            assert left(store) == [ONE, STRANGER]  # of a job in no ledger nobody knows that it came to nothing

    asyncio.run(act())


def test_a_ledger_that_does_not_answer_keeps_the_server_from_sweeping_and_not_from_starting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def refuse(_: Ledger) -> frozenset[str]:
        raise StorageError("The database did not answer.")

    async def act() -> None:
        async with board_over(tmp_path) as (live_jobs, store):
            monkeypatch.setattr(Ledger, "unmade", refuse)
            assert await live_jobs.sweep() == 0
            assert left(store) == [ONE, TWO, THREE, STRANGER]

    asyncio.run(act())


def test_what_open_jobs_wait_for_is_told_and_seen_and_not_said_of_those_that_ended(tmp_path: Path):
    async def act() -> None:
        broadcast = Broadcast()
        async with board_over(tmp_path, broadcast) as (live_jobs, _):
            await live_jobs.move(Ledger.succeed, ONE, (), None)
            with broadcast.subscribe() as told:
                await live_jobs.hold("speck", "robot")
                changes = [told.items.get_nowait() for _ in range(told.items.qsize())]
            values = {change.id: change.value for change in changes if isinstance(change, Delta)}
            assert values == {TWO: {"waiting_for": "robot"}, THREE: {"waiting_for": "robot"}}
            assert [(await live_jobs.get(job)).waiting_for for job in (ONE, TWO, THREE)] == [None, "robot", "robot"]
            await live_jobs.hold("speck", None)
            assert (await live_jobs.get(TWO)).waiting_for is None

    asyncio.run(act())


def test_the_queues_seconds_go_down_with_what_the_running_job_says_of_itself(tmp_path: Path):
    async def act() -> tuple[list[float], float | None]:
        broadcast = Broadcast()
        ledger = Ledger(open_database(tmp_path / "orrery.db"))
        live_jobs = LiveJobs(ledger, MediaStore(tmp_path / "media"), broadcast)
        for job in (ONE, TWO):
            await live_jobs.move(Ledger.insert, Accepted(job, CUBE, "speck"))
        with ledger.transaction() as session:
            record(session, ONE, Measured(seconds_per_step=0.0, seconds_around=30.0))
        await live_jobs.claim("speck")
        assert live_jobs.queue.seconds_left == 60
        with broadcast.subscribe() as told:
            for left in (10.0, 9.5, 8.5):
                live_jobs.advance(ONE, Progress(phase="denoising", step=1, steps=50, seconds_left=left))
            changes = [change for change in iter_now(told) if change.key == "system"]
        asked = await live_jobs.tell_queue()
        await live_jobs.close()
        return [change.value["queue"]["seconds_left"] for change in changes if change.value], asked.seconds_left

    told, asked = asyncio.run(act())

    assert told == [40.0, 38.5]  # half a second is not told by itself
    assert asked == 38.5


def test_looks_at_the_queue_are_shared_and_none_is_older_than_what_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    looks: list[QueueStatus] = []

    def counted(ledger: Ledger) -> QueueStatus:
        looks.append(queue_status(ledger))
        return looks[-1]

    async def act() -> tuple[list[QueueStatus], QueueStatus]:
        async with board_over(tmp_path) as (live_jobs, _):
            monkeypatch.setattr("backend.jobs.live_jobs.queue_status", counted)
            together = await asyncio.gather(*(live_jobs.tell_queue() for _ in range(20)))
            assert len(looks) <= 2
            await live_jobs.move(Ledger.insert, Accepted(STRANGER, CUBE, "speck"))
            return together, live_jobs.queue

    together, after = asyncio.run(act())

    assert {status.num_queued for status in together} == {1}
    assert after.num_queued == 2
