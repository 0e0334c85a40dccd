"""The ledger on a database file: what it says survives, and its moves are the legal ones."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import text

from backend.database import open_database
from backend.database.tables import Table
from backend.jobs.ledger import Accepted, Ledger
from studio.errors import Conflict, DiskFull, EngineError, GuardrailBlocked, JobNotFound, StorageError
from studio.jobs import MAX_RETURNS, Failure, JobState
from studio.requests import GenerateImage

CUBE = GenerateImage(prompt="a red cube")


@pytest.fixture
def ledger(tmp_path: Path):
    ledger = Ledger(open_database(tmp_path / "orrery.db"))
    yield ledger
    ledger.close()


def accept(ledger: Ledger, *names: str) -> None:
    for name in names:
        ledger.insert(Accepted(name, CUBE, "speck"))


def fill(ledger: Ledger) -> None:
    for number in range(100):
        ledger.insert(Accepted(f"job{number}", GenerateImage(prompt="x" * 10_000), "speck"))


def is_no_index_of_words(name: str | None, kind: str, _: Any) -> bool:
    """Virtual tables are SQLite's, and their parts no concern of ours."""
    return kind != "table" or not (name or "").startswith("artefact_words")


def test_migrations_make_the_tables_that_the_code_describes(tmp_path: Path):
    database = open_database(tmp_path / "orrery.db")

    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_name": is_no_index_of_words})
        assert compare_metadata(context, Table.metadata) == []
    database.close()


def claimed(ledger: Ledger) -> str | None:
    """The id of the job that runs now."""
    job = ledger.claim("speck")
    return job.id if job else None


def test_what_was_inserted_is_there_after_reopening(tmp_path: Path, ledger: Ledger):
    accept(ledger, "one")

    again = Ledger(open_database(tmp_path / "orrery.db"))

    assert again.get("one").request == CUBE
    assert again.get("one").state is JobState.QUEUED
    again.close()


def test_how_many_steps_a_job_had_is_kept_when_it_ends(ledger: Ledger):
    for name, stopped_at_step in (("whole", None), ("stopped", 0)):
        accept(ledger, name)
        claimed(ledger)
        ledger.succeed(name, (), stopped_at_step, 150)
    accept(ledger, "dropped")
    claimed(ledger)
    ledger.cancel("dropped", 20, 150)

    steps = {name: ledger.get(name).progress for name in ("whole", "stopped", "dropped")}
    assert {name: (progress.step, progress.steps) for name, progress in steps.items()} == {
        "whole": (150, 150),
        "stopped": (0, 150),
        "dropped": (20, 150),
    }


def test_jobs_run_in_order_of_acceptance(ledger: Ledger):
    accept(ledger, "one", "two")

    assert [claimed(ledger), claimed(ledger), claimed(ledger)] == ["one", "two", None]
    assert ledger.get("one").state is JobState.RUNNING


def test_recovery_puts_running_jobs_back_first_in_their_order_uncounted(ledger: Ledger):
    accept(ledger, "one", "two", "three")
    claimed(ledger)
    claimed(ledger)

    recovered = ledger.recover(returns=1)

    assert [job.id for job in ledger.open_jobs()] == ["one", "two", "three"]
    assert {(job.attempts, job.returns) for job in recovered} == {(0, 1)}


def test_the_tenth_return_fails_a_job_with_the_reason(ledger: Ledger):
    accept(ledger, "one")
    for _ in range(MAX_RETURNS - 1):
        claimed(ledger)
        assert ledger.recover(returns=1)[0].state is JobState.QUEUED
    claimed(ledger)

    (job,) = ledger.recover(returns=1)

    assert job.state is JobState.FAILED
    assert job.error is not None
    assert job.error.code == "engine_lost"
    assert "10 times" in job.error.message


def test_illegal_moves_are_refused_and_change_nothing(ledger: Ledger):
    accept(ledger, "one")
    claimed(ledger)
    ledger.succeed("one", [], None)

    for move in (ledger.put_back, ledger.cancel, ledger.retry):
        with pytest.raises(Conflict, match="succeeded"):
            move("one")

    assert ledger.get("one").state is JobState.SUCCEEDED


def test_a_retried_job_forgets_its_failure_and_stands_last(ledger: Ledger):
    accept(ledger, "one", "two")
    claimed(ledger)
    ledger.fail("one", Failure.of(EngineError("It broke.")))

    job = ledger.retry("one")

    assert job.error is None
    assert [entry.id for entry in ledger.open_jobs()] == ["two", "one"]


def test_an_unknown_job_is_not_found(ledger: Ledger):
    with pytest.raises(JobNotFound, match="nobody"):
        ledger.get("nobody")


def test_counts_are_by_state(ledger: Ledger):
    accept(ledger, "one", "two")
    claimed(ledger)

    assert ledger.counts() == {"queued": 1, "running": 1}


def test_a_full_disk_is_said_so_and_nothing_is_accepted(tmp_path: Path):
    database = open_database(tmp_path / "orrery.db")
    with database.engine.connect() as connection:
        raw = connection.connection.dbapi_connection
        assert isinstance(raw, sqlite3.Connection)
        pages = raw.execute("PRAGMA page_count").fetchone()[0]
        raw.execute(f"PRAGMA max_page_count = {pages}")  # SQLite answers SQLITE_FULL, as on a full disk
    ledger = Ledger(database)

    with pytest.raises(DiskFull):
        fill(ledger)

    ledger.close()


def test_a_job_of_another_checkpoint_waits_for_its_own(ledger: Ledger):
    ledger.insert(Accepted("other", CUBE, "cosmos3-nano"))
    accept(ledger, "ours")

    assert [claimed(ledger), claimed(ledger)] == ["ours", None]
    assert [name for name, _ in ledger.waiting_checkpoints()] == ["cosmos3-nano"]
    assert ledger.queued_on("cosmos3-nano") == ["other"]
    assert ledger.get("other").state is JobState.QUEUED


@pytest.mark.parametrize("state", ["queued", "running", "succeeded"])
def test_a_row_that_cannot_be_read_takes_no_other_with_it(tmp_path: Path, ledger: Ledger, state: str):
    accept(ledger, "odd", "even")
    with sqlite3.connect(tmp_path / "orrery.db") as database:
        request = '{"kind": "generate_image", "prompt": "x", "aspect_ratio": "2:1"}'
        database.execute("UPDATE jobs SET request = ?, state = ? WHERE id = 'odd'", (request, state))

    recovered = ledger.recover(returns=1)
    assert recovered == []
    assert claimed(ledger) == "even"
    assert [job.id for job in ledger.newest(10)] == ["even"]
    with pytest.raises(StorageError, match="another version"):
        ledger.get("odd")
    with sqlite3.connect(tmp_path / "orrery.db") as database:
        (kept,) = database.execute("SELECT state FROM jobs WHERE id = 'odd'").fetchone()
    assert kept == ("succeeded" if state == "succeeded" else "failed")


def test_every_job_that_has_not_succeeded_is_unmade(ledger: Ledger):
    accept(ledger, "made", "runs", "failed", "waits", "cancelled")
    for _ in range(3):
        claimed(ledger)
    ledger.succeed("made", (), None)
    ledger.fail("failed", Failure.of(EngineError("It broke.")))
    ledger.cancel("cancelled")

    assert ledger.unmade() == {"waits", "runs", "failed", "cancelled"}


def test_a_running_job_cannot_be_retried(ledger: Ledger):
    accept(ledger, "one")
    claimed(ledger)

    with pytest.raises(Conflict, match="running"):
        ledger.retry("one")

    assert ledger.get("one").state is JobState.RUNNING


def test_a_job_that_the_guardrail_stopped_says_so_and_is_read_anew_when_it_is_retried(ledger: Ledger):
    accept(ledger, "one")
    claimed(ledger)

    stopped = ledger.fail("one", Failure.of(GuardrailBlocked("It shows what it must not.")))
    assert stopped.guardrail == "blocked"
    assert ledger.retry("one", "passed").guardrail == "passed"


def test_jobs_are_numbered_as_they_came_and_as_they_ended_whatever_the_clock_says(ledger: Ledger):
    accept(ledger, "one", "two", "three")
    ledger.cancel("two")
    with ledger.transaction() as session:
        session.execute(text("UPDATE jobs SET created_at = '2099-01-01', finished_at = '2099-01-01' WHERE id = 'two'"))
    ledger.cancel("three")
    ledger.cancel("one")

    jobs = ledger.newest(9)
    assert [(job.id, job.end_number) for job in jobs] == [("three", 2), ("two", 1), ("one", 3)]
    assert sorted(jobs, key=lambda job: -job.number) == jobs
    assert ledger.retry("two").end_number is None
    assert ledger.cancel("two").end_number == 4
