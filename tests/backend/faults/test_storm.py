"""Killed again and again, at any moment, under load: what was acknowledged is there, and what is served is whole."""

import hashlib
import random
import shutil
import sqlite3
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from running import RunningServer, wait_for
from sent_files import picture_bytes
from storms import Crowd

NUM_KILLS = 20
LONGEST_LIFE_S = 3.0


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_after_twenty_kills_nothing_acknowledged_is_lost_and_nothing_half_written_is_served(
    tmp_path: Path, server: RunningServer
):
    data = tmp_path / "data"
    shutil.copytree(server.data / "checkpoints", data / "checkpoints")
    moments = random.Random(20)
    storm = RunningServer(data)
    crowd = Crowd(storm, seed=20)
    for _ in range(NUM_KILLS):
        storm.start()
        crowd.start()
        time.sleep(moments.random() * LONGEST_LIFE_S)
        storm.kill()
        crowd.stop()

    storm.start()
    try:
        storm.wait_ready()
        storm.post("/v1/queue/pause")
        storm.delete("/v1/queue")
        check(storm, crowd)
    finally:
        assert storm.stop() in (0, -15)
    sys.stdout.write(f"{len(crowd.jobs)} jobs, {len(crowd.uploads)} uploads, {len(crowd.erased)} may be erased\n")
    assert len(crowd.jobs) > NUM_KILLS
    assert len(crowd.uploads) > NUM_KILLS


def check(storm: RunningServer, crowd: Crowd) -> None:
    """The invariants."""
    for job_id in crowd.jobs:
        job = storm.wait_job(job_id)
        assert job["state"] in ("succeeded", "cancelled", "failed"), job
        assert job["state"] != "failed" or job["error"]["code"] == "engine_lost", job
        for result in job["results"]:
            check_whole(storm, result)
            assert storm.get(f"/v1/library/{result['id']}").status_code == 200
    for name in crowd.uploads - crowd.erased:
        detail = storm.get(f"/v1/library/{name}")
        assert detail.status_code == 200, name
        assert storm.get(f"/v1/media/{name}").status_code == 200, name
    check_library(storm)
    with sqlite3.connect(storm.data / "orrery.db") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert database.execute("SELECT count(*) FROM artefacts WHERE erasing").fetchone() == (0,)
        (rows,) = database.execute("SELECT count(*) FROM artefacts").fetchone()
        assert database.execute("SELECT count(*) FROM artefact_words").fetchone() == (rows,)
    database.close()
    assert not list((storm.data / "media").rglob("*.part"))


def check_library(storm: RunningServer) -> None:
    """Every item has its file, and every result of a job that succeeded has its item."""
    cursor: str | None = None
    while True:
        query: dict[str, Any] = {"limit": 500, **({"cursor": cursor} if cursor else {})}
        page = storm.get("/v1/library", params=query).json()
        for item in page["items"]:
            assert not item["missing"], item
        cursor = page["next_cursor"]
        if cursor is None:
            return


def check_whole(storm: RunningServer, result: dict[str, Any]) -> None:
    """A file is what its reference says."""
    content = storm.get(result["url"]).content
    assert hashlib.sha256(content).hexdigest() == result["sha256"]
    assert len(content) == result["size_bytes"]


@pytest.mark.slow
def test_a_server_killed_while_the_trash_is_emptied_finishes_it_at_the_next_start(
    tmp_path: Path, server: RunningServer
):
    data = tmp_path / "data"
    shutil.copytree(server.data / "checkpoints", data / "checkpoints")
    first = RunningServer(data).start()
    names = [
        first.post("/v1/media", files={"file": ("x.png", picture_bytes(20 + number, 20))}).json()["id"]
        for number in range(20)
    ]
    first.kill()
    # As a kill leaves it after the first phase, and in the middle of the second.
    with sqlite3.connect(data / "orrery.db") as database:
        database.execute("UPDATE artefacts SET erasing = 1, trashed_at = created_at WHERE number <= 15")
    database.close()
    for name in names[:5]:
        for path in (data / "media").glob(f"*/{name}.*"):
            path.unlink()

    second = RunningServer(data).start()
    try:
        found = {item["id"] for item in second.get("/v1/library").json()["items"]}
        assert found == set(names[15:])
        wait_for(lambda: not any(list((data / "media").glob(f"*/{name}.*")) for name in names[:15]), 60)
        assert all(second.get(f"/v1/media/{name}").status_code == 404 for name in names[:15])
        assert all(second.get(f"/v1/media/{name}").status_code == 200 for name in names[15:])
    finally:
        second.stop()
