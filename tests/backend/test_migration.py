"""A database of an older version becomes one of this, with everything in it."""

import json
import sqlite3
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine

import backend.database
from backend.comparisons.critics import critic_scores
from backend.database import open_database
from backend.jobs.ledger import Ledger
from backend.library.finding import find
from backend.library.lineage import led_to, made_from, request_of
from library_rows import reference
from studio.library import LibraryQuery
from studio.requests import GenerateImage, GenerateVideo, Request

UPLOAD = "u0123456789abcdef"
MIGRATIONS = Path(backend.database.__file__).parent / "migrations"


def bring_to(path: Path, revision: str) -> None:
    """A database as an older version left it, with nothing in it."""
    engine = create_engine(f"sqlite:///{path}")
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("path_separator", "os")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
    engine.dispose()


def old_database(path: Path, *jobs: tuple[str, str, Request, list[dict[str, object]]]) -> None:
    """As the first revision left it."""
    bring_to(path, "0001")
    with sqlite3.connect(path) as database:
        for position, (job_id, state, request, results) in enumerate(jobs, 1):
            database.execute(
                "INSERT INTO jobs (id, kind, state, checkpoint, request, position, attempts, returns, num_steps, "
                "results, created_at, finished_at) VALUES (?, ?, ?, 'speck', ?, ?, 0, 0, 20, ?, ?, ?)",
                (
                    job_id,
                    request.kind,
                    state,
                    json.dumps(request.model_dump(mode="json")),
                    position,
                    json.dumps(results),
                    "2026-01-02 03:04:05.000006",
                    "2020-01-01 00:00:00.000000" if job_id.startswith("b") else "2026-01-02 04:00:00.000000",
                ),
            )
    database.close()


def test_jobs_results_and_what_they_name_come_into_the_library(tmp_path: Path):
    picture = GenerateImage.model_validate({"prompt": "Würfel 红色", "sampling": {"seed": 5}, "count": 2})
    clip = GenerateVideo.model_validate({"prompt": '{"caption": 1}', "written_from": "snow", "start_image": UPLOAD})
    made = [reference(f"aaaaaaaaaaaa-{index}", seed=5 + index).model_dump(mode="json") for index in (0, 1)]
    later = reference("bbbbbbbbbbbb-0", type="video", mime="video/mp4").model_dump(mode="json")
    old_database(
        tmp_path / "orrery.db",
        ("aaaaaaaaaaaa", "succeeded", picture, made),
        ("bbbbbbbbbbbb", "succeeded", clip, [later]),
        ("cccccccccccc", "queued", clip, []),
        ("dddddddddddd", "queued", picture, []),
        ("eeeeeeeeeeee", "failed", picture, made),
    )

    database = open_database(tmp_path / "orrery.db")

    with database.transaction() as session:
        rows, total, _ = find(session, LibraryQuery())
        assert [row.id for row in rows] == ["bbbbbbbbbbbb-0", "aaaaaaaaaaaa-1", "aaaaaaaaaaaa-0"]
        assert total == 3
        assert [row.id for row in find(session, LibraryQuery(q="wurfel 色"))[0]] == ["aaaaaaaaaaaa-1", "aaaaaaaaaaaa-0"]
        assert [row.id for row in find(session, LibraryQuery(q="snow"))[0]] == ["bbbbbbbbbbbb-0"]
        assert rows[0].prompt == "snow"
        request = request_of(session, rows[1])
        assert request is not None
        assert (request.sampling.seed, request.count, request.checkpoint) == (6, 1, "speck")
        assert (made_from(session, rows[0]), led_to(session, rows[0])) == ([], [])
    ledger = Ledger(database)
    assert [job.id for job in ledger.open_jobs()] == ["cccccccccccc", "dddddddddddd"]
    assert ledger.get("aaaaaaaaaaaa").results[1].seed == 6
    ledger.insert("ffffffffffff", picture, "speck", priority="high")
    assert [job.id for job in ledger.open_jobs()] == ["ffffffffffff", "cccccccccccc", "dddddddddddd"]
    ledger.close()


def test_a_row_that_cannot_be_read_does_not_keep_the_others_out(tmp_path: Path):
    picture = GenerateImage(prompt="x")
    made = [reference("aaaaaaaaaaaa-0").model_dump(mode="json")]
    old_database(
        tmp_path / "orrery.db", ("bbbbbbbbbbbb", "succeeded", picture, []), ("aaaaaaaaaaaa", "succeeded", picture, made)
    )
    with sqlite3.connect(tmp_path / "orrery.db") as database:
        database.execute("UPDATE jobs SET request = '[', results = '[3, {}]' WHERE id = 'bbbbbbbbbbbb'")
    database.close()

    database = open_database(tmp_path / "orrery.db")

    with database.transaction() as session:
        assert [row.id for row in find(session, LibraryQuery())[0]] == ["aaaaaaaaaaaa-0"]
    database.close()


def test_scores_of_critics_are_found_by_what_they_were_given_to(tmp_path: Path):
    bring_to(tmp_path / "orrery.db", "0006")

    def tree(*nodes: object) -> str:
        return json.dumps({"nodes": nodes})

    def judged(name: str, score: object) -> dict[str, object]:
        return {"media": {"id": name}, "critique": {"overall_score": score}}

    waiting = {"media": {"id": "cccccccccccc-0"}, "critique": None}
    documents = (
        tree(judged("aaaaaaaaaaaa-0", 4.5), waiting, {"media": None}, 3),
        "{",
        '{"nodes": 1}',
        tree(judged("bbbbbbbbbbbb-0", 9), judged("dddddddddddd-0", "much")),
    )
    with sqlite3.connect(tmp_path / "orrery.db") as database:
        for number, document in enumerate(documents):
            database.execute(
                "INSERT INTO refinements (id, state, document) VALUES (?, 'succeeded', ?)", (str(number), document)
            )
    database.close()

    opened = open_database(tmp_path / "orrery.db")

    with opened.transaction() as session:
        asked = [f"{letter * 12}-0" for letter in "abcd"]
        assert critic_scores(session, asked) == {"aaaaaaaaaaaa-0": 4.5, "bbbbbbbbbbbb-0": 9.0}
    opened.close()


def test_a_migration_that_is_interrupted_leaves_the_database_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    old_database(tmp_path / "orrery.db", ("aaaaaaaaaaaa", "queued", GenerateImage(prompt="x"), []))
    before = (tmp_path / "orrery.db").read_bytes()

    def killed(*_: object) -> str:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        # The last thing that it does for a job, long after the tables are made.
        patch.setattr("backend.database.named_media.named_media", killed)
        with pytest.raises(KeyboardInterrupt):
            open_database(tmp_path / "orrery.db")

    with sqlite3.connect(tmp_path / "orrery.db") as database:
        assert database.execute("SELECT version_num FROM alembic_version").fetchone() == ("0001",)
        assert database.execute("SELECT name FROM sqlite_schema WHERE name = 'artefacts'").fetchone() is None
    database.close()
    assert len(before) > 0
    open_database(tmp_path / "orrery.db").close()
