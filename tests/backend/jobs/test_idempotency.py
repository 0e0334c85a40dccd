"""One key is one job: twice, at once, after a refusal, and after the server's death."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from backend.database import Database, open_database
from backend.database.tables import IdempotencyRow
from backend.jobs.idempotency import IdempotencyKeys
from backend.jobs.ledger import Accepted, Ledger
from studio.errors import BadInput, Conflict
from studio.jobs import Job
from studio.requests import GenerateImage

CUBE = GenerateImage(prompt="a cube")


class Desk:
    """A ledger, and what was handed in to it."""

    def __init__(self, path: Path) -> None:
        self.database: Database = open_database(path / "orrery.db")
        self.ledger = Ledger(self.database)
        self.idempotency_keys = IdempotencyKeys(self.database, self.get)
        self.num_submitted = 0

    async def get(self, job_id: str) -> Job:
        return await self.database.beside(lambda: self.ledger.get(job_id))

    async def submit(self, job_id: str | None) -> Job:
        self.num_submitted += 1
        return await self.database.alone(lambda: self.ledger.insert(Accepted(job_id or "0" * 12, CUBE, "speck")))

    async def refuse(self, job_id: str | None) -> Job:
        raise BadInput("no")

    def once(self, key: str | None, payload: Any, submit: Callable[[str | None], Awaitable[Job]]) -> tuple[Job, bool]:
        return asyncio.run(self.idempotency_keys.once(key, payload, submit))


@pytest.fixture
def desk(tmp_path: Path):
    desk = Desk(tmp_path)
    yield desk
    desk.database.close()


def test_the_same_call_is_one_job(desk: Desk):
    first, replayed = desk.once("a", {"x": 1}, desk.submit)
    second, replayed_too = desk.once("a", {"x": 1}, desk.submit)

    assert (first.id, replayed, replayed_too) == (second.id, False, True)
    assert desk.num_submitted == 1
    assert desk.once("b", {"x": 1}, desk.submit)[0].id != first.id


def test_another_request_with_the_key_is_a_conflict(desk: Desk):
    desk.once("a", {"x": 1}, desk.submit)

    with pytest.raises(Conflict, match="another request"):
        desk.once("a", {"x": 2}, desk.submit)


def test_a_refused_call_has_promised_nothing(desk: Desk):
    with pytest.raises(BadInput):
        desk.once("a", {"x": 1}, desk.refuse)

    assert desk.once("a", {"x": 2}, desk.submit)[1] is False


def test_calls_at_once_are_one_job(desk: Desk):
    async def both() -> list[tuple[Job, bool]]:
        return await asyncio.gather(*(desk.idempotency_keys.once("a", {}, desk.submit) for _ in range(5)))

    answers = asyncio.run(both())
    assert len({job.id for job, _ in answers}) == 1
    assert sum(replayed for _, replayed in answers) == 4
    assert desk.num_submitted == 1


def test_a_death_between_promise_and_job_makes_the_promised_job(desk: Desk, tmp_path: Path):
    class Killed(BaseException):
        pass

    promised: list[str | None] = []

    async def die(job_id: str | None) -> Job:
        promised.append(job_id)
        raise Killed

    with pytest.raises(Killed):
        desk.once("a", {"x": 1}, die)
    again = Desk(tmp_path)
    job, replayed = again.once("a", {"x": 1}, again.submit)
    assert (job.id, replayed) == (promised[0], False)
    assert again.once("a", {"x": 1}, again.submit)[0].id == job.id
    again.database.close()


def test_a_key_is_forgotten_after_a_week_also_when_the_clock_went_back(desk: Desk):
    first, _ = desk.once("a", {}, desk.submit)
    with desk.database.transaction() as session:
        session.execute(update(IdempotencyRow).values(created_at=datetime.now(UTC) + timedelta(days=400)))
    assert desk.once("a", {}, desk.submit)[0].id == first.id
    with desk.database.transaction() as session:
        session.execute(update(IdempotencyRow).values(created_at=datetime.now(UTC) - timedelta(days=8)))
    assert desk.once("a", {}, desk.submit)[0].id != first.id


@pytest.mark.parametrize("key", ["", "x" * 257, "ü", "a\nb"])
def test_a_key_that_is_none_is_refused(desk: Desk, key: str):
    with pytest.raises(BadInput):
        desk.once(key, {}, desk.submit)


def test_without_a_key_every_call_is_made(desk: Desk):
    assert desk.once(None, {}, desk.submit)[1] is False
    assert desk.num_submitted == 1
