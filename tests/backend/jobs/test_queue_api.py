"""`/v1/queue`, batches, estimates and the order of jobs, of a real server."""

import sqlite3
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from running import RunningServer

MUST_ANSWER_S = 2.5
"""Half of what a write waits for whoever holds the database (`BUSY_TIMEOUT_MS`)."""

QUICK: dict[str, Any] = {"kind": "generate_image", "prompt": "x", "sampling": {"num_inference_steps": 2, "seed": 1}}


@pytest.fixture
def paused(server: RunningServer) -> Iterator[RunningServer]:
    """A server that starts nothing, has nothing queued, and runs nothing that an earlier test has asked for."""
    server.post("/v1/queue/pause")
    server.settle()
    yield server
    server.delete("/v1/queue")
    server.post("/v1/queue/resume")


def queued(server: RunningServer) -> list[str]:
    jobs = server.get("/v1/jobs", params={"state": "queued", "limit": 1000}).json()["jobs"]
    return [job["id"] for job in sorted(jobs, key=lambda job: job["position"])]


def test_a_paused_queue_accepts_and_starts_nothing(paused: RunningServer):
    job = paused.submit(sampling={"num_inference_steps": 2})

    status = paused.get("/v1/queue").json()
    assert (status["paused"], status["num_queued"], status["num_running"]) == (True, 1, 0)
    assert paused.job(job["id"])["state"] == "queued"
    assert paused.post("/v1/queue/resume").json()["paused"] is False
    assert paused.wait_job(job["id"])["state"] == "succeeded"


def test_jobs_are_put_in_another_order(paused: RunningServer):
    first, second, third = (paused.submit()["id"] for _ in range(3))
    urgent = paused.post("/v1/jobs", params={"priority": "high"}, json=QUICK).json()
    assert (urgent["priority"], queued(paused)) == ("high", [urgent["id"], first, second, third])

    assert paused.post(f"/v1/jobs/{third}/move", json={"before": first}).status_code == 200
    assert queued(paused) == [urgent["id"], third, first, second]
    changed = httpx.patch(f"{paused.url}/v1/jobs/{first}", json={"priority": "low"}).json()
    assert (changed["priority"], queued(paused)) == ("low", [urgent["id"], third, second, first])
    assert paused.post("/v1/jobs?priority=urgent", json=QUICK).status_code == 422
    ended = paused.delete(f"/v1/jobs/{second}").json()["id"]
    refused = paused.post(f"/v1/jobs/{ended}/move", json={"before": None})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "conflict")
    assert paused.delete("/v1/queue").json()["num_queued"] == 0


def test_a_batch_is_one_parent_of_many_jobs(paused: RunningServer):
    axes = {"sampling.seed": [1, 2, 3], "prompt": ["a", "b"]}
    answer = paused.post("/v1/batches", json={"request": QUICK, "axes": axes, "priority": "high"})
    batch = answer.json()

    assert answer.status_code == 202
    made = [(job["request"]["sampling"]["seed"], job["request"]["prompt"]) for job in batch["jobs"]]
    assert made == [(seed, prompt) for seed in (1, 2, 3) for prompt in "ab"]
    assert [job["batch"]["index"] for job in batch["jobs"]] == list(range(6))
    assert paused.get(f"/v1/batches/{batch['id']}").json()["jobs"][0]["state"] == "queued"
    cancelled = paused.delete(f"/v1/batches/{batch['id']}").json()
    assert {job["state"] for job in cancelled["jobs"]} == {"cancelled"}
    assert paused.get("/v1/batches/000000000000").status_code == 404


def test_a_batch_with_one_bad_request_queues_none(paused: RunningServer):
    answer = paused.post("/v1/batches", json={"requests": [QUICK, {**QUICK, "prompt": " "}]})

    assert answer.status_code == 422
    assert answer.json()["error"]["param"] == "requests.1.prompt"
    assert queued(paused) == []
    for body in ({}, {"requests": []}, {"requests": [QUICK] * 1001}, {"request": QUICK, "axes": {"prompt": []}}):
        assert paused.post("/v1/batches", json=body).status_code == 422
    huge = {"request": QUICK, "axes": {"sampling.seed": list(range(500)), "sampling.flow_shift": [1, 2, 3]}}
    assert "1,500 combinations" in paused.post("/v1/batches", json=huge).json()["error"]["message"]


def test_a_job_is_asked_for_again_with_changes(paused: RunningServer):
    job = paused.submit(prompt="a red cube", sampling={"num_inference_steps": 7, "seed": 3})

    again = paused.post(f"/v1/jobs/{job['id']}/duplicate", json={"changes": {"sampling": {"seed": 4}}}).json()

    assert again["id"] != job["id"]
    assert again["request"] == {
        **job["request"],
        "checkpoint": "speck",
        "sampling": {**job["request"]["sampling"], "seed": 4},
    }
    assert paused.post(f"/v1/jobs/{job['id']}/duplicate").json()["request"]["sampling"]["seed"] == 3
    bad = paused.post(f"/v1/jobs/{job['id']}/duplicate", json={"changes": {"colour": "red"}})
    assert (bad.status_code, bad.json()["error"]["param"]) == (422, "colour")


def test_what_has_run_says_how_long_its_like_takes(server: RunningServer):
    asked = {"request": {**QUICK, "aspect_ratio": "4:3"}}
    server.wait_job(server.post("/v1/jobs", json=asked["request"]).json()["id"])

    estimate = server.post("/v1/estimates", json=asked).json()

    assert estimate["basis"] == "measured"
    assert 0 < estimate["seconds"] < 120
    assert estimate["samples"] >= 1
    assert estimate["queue_seconds"] is not None
    assert server.post("/v1/estimates", json={"request": {"kind": "x"}}).status_code == 422


def test_who_only_reads_waits_for_no_writer(paused: RunningServer):
    holder = sqlite3.connect(paused.data / "orrery.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")  # a disk that takes its time
    accepted: list[str] = []
    writers = [threading.Thread(target=lambda: accepted.append(paused.submit()["id"])) for _ in range(3)]
    try:
        for writer in writers:
            writer.start()
        for path in ("/v1/queue", "/metrics", "/v1/jobs", "/v1/library"):
            assert httpx.get(paused.url + path, timeout=MUST_ANSWER_S).status_code == 200
        asked = httpx.post(paused.url + "/v1/estimates", json={"request": QUICK}, timeout=MUST_ANSWER_S)
        assert asked.status_code == 200
        assert accepted == []
    finally:
        holder.execute("ROLLBACK")
        holder.close()
        for writer in writers:
            writer.join()
    assert sorted(accepted) == sorted(queued(paused))
