"""Things that hang, fill up or come back: the server goes on, and nothing acknowledged is lost."""

import json
import os
import shutil
import signal
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import connect

from running import START_S, RunningServer, is_alive, running, wait_for

LONG: dict[str, Any] = {"resolution": "720", "aspect_ratio": "16:9", "sampling": {"num_inference_steps": 200}}


@pytest.fixture
def data(tmp_path: Path, server: RunningServer) -> Path:
    """A data folder of its own, with the speck that the shared server has built."""
    folder = tmp_path / "data"
    shutil.copytree(server.data / "checkpoints", folder / "checkpoints")
    return folder


@pytest.mark.slow
def test_a_worker_that_hangs_stops_neither_the_server_nor_a_cancel(data: Path):
    server = RunningServer(data).start()
    server.wait_ready()
    job = server.submit(**LONG)
    server.wait_job(job["id"], lambda job: job["progress"]["step"] > 0)
    worker = server.worker_pid()
    os.kill(worker, signal.SIGSTOP)

    with connect(server.url.replace("http", "ws") + "/v1/events") as socket:
        for number in range(3000):
            socket.send(json.dumps({"want": [f"preview/{job['id']}"] if number % 2 else []}))
        assert server.get("/healthz").text == "ok"
    assert server.delete(f"/v1/jobs/{job['id']}").json()["state"] == "running"
    server.stop()

    # Killed by then; a busy machine takes a moment over its memory.
    wait_for(lambda: not is_alive(worker), 60)
    with running(data) as again:
        assert again.job(job["id"])["state"] == "cancelled"


@pytest.mark.slow
def test_a_database_held_by_somebody_else_is_waited_out(data: Path):
    with running(data) as server:
        server.wait_ready()
        # The worker takes the job and stands still until the database is held: what it comes to is not written before.
        worker = server.worker_pid()
        os.kill(worker, signal.SIGSTOP)
        job = server.submit(sampling={"num_inference_steps": 100})
        server.wait_job(job["id"], lambda job: job["state"] == "running")
        with sqlite3.connect(data / "orrery.db", isolation_level=None) as database:
            database.execute("BEGIN IMMEDIATE")
            os.kill(worker, signal.SIGCONT)
            wait_for(lambda: server.get("/readyz").text == "lost", 60)
            refused = server.post("/v1/jobs", json={"kind": "generate_image", "prompt": "x"})
            database.execute("ROLLBACK")
        database.close()

        assert refused.json()["error"]["code"] == "storage_failed"
        assert server.wait_job(job["id"])["state"] == "succeeded"
        wait_for(lambda: server.get("/readyz").text == "ready", START_S)
        assert server.wait_job(server.submit()["id"])["state"] == "succeeded"


@pytest.mark.slow
def test_a_job_waits_for_its_own_checkpoint_over_a_restart_without_it(data: Path, tmp_path: Path):
    other = tmp_path / "other"
    shutil.copytree(data / "checkpoints" / "speck", other)
    server = RunningServer(data, ORRERY_CHECKPOINT=str(other)).start()
    job = server.submit(sampling={"seed": 5})
    server.kill()

    with running(data) as elsewhere:  # which knows no checkpoint of that name
        elsewhere.wait_ready()
        assert elsewhere.wait_job(elsewhere.submit()["id"])["checkpoint"] == "speck"
        waiting = elsewhere.job(job["id"])
        assert (waiting["state"], waiting["waiting_for"]) == ("queued", "checkpoint other")
    with running(data, ORRERY_CHECKPOINT=str(other)) as again:
        done = again.wait_job(job["id"])
        assert (done["state"], done["checkpoint"], done["results"][0]["seed"]) == ("succeeded", "other", 5)


@pytest.mark.slow
def test_a_checkpoint_that_fails_keeps_the_queue_and_takes_nothing_more(data: Path):
    server = RunningServer(data).start()
    job = server.submit()
    server.kill()

    with running(data, ORRERY_DEVICE="cuda:7") as broken:
        wait_for(lambda: broken.get("/readyz").text == "failed", START_S)
        assert broken.job(job["id"])["state"] == "queued"
        broken.delete(f"/v1/jobs/{job['id']}")
        assert broken.post(f"/v1/jobs/{job['id']}/retry").status_code >= 400
        assert broken.post("/v1/jobs", json={"kind": "generate_image", "prompt": "x"}).status_code >= 400


@pytest.mark.slow
def test_modules_of_the_folder_it_was_started_in_are_not_taken(data: Path, tmp_path: Path):
    folder = tmp_path / "somewhere"
    for name in ("backend", "engine"):
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text("raise SystemExit('a stranger')")
    (folder / "random.py").write_text("raise SystemExit('a stranger')")

    with running(data, own_imports=True, folder=folder) as server:
        server.wait_ready()
        assert server.wait_job(server.submit()["id"])["state"] == "succeeded"


@pytest.mark.slow
def test_a_worker_that_never_gets_ready_is_said_to_have_failed(data: Path):
    with running(data) as server:

        def has_failed() -> bool:  # one that gets ready before it is killed begins the count anew
            if server.get("/readyz").text == "failed":
                return True
            pid = server.worker_pid()
            os.kill(pid, signal.SIGKILL)
            wait_for(lambda: not is_alive(pid), 60)
            return False

        wait_for(has_failed, 120)
        answer = server.post("/v1/jobs", json={"kind": "generate_image", "prompt": "x"})
        assert answer.json()["error"]["code"] == "engine_lost"
        wait_for(lambda: server.get("/readyz").text == "ready", START_S)
        assert server.wait_job(server.submit()["id"])["state"] == "succeeded"
