"""Engines on the hosts of a real Ray cluster: the same results, and what happens when hosts and servers die."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ray_cluster import TestCluster, ray_cluster
from running import RunningServer, about, running, wait_for

pytest.importorskip("ray", reason="the extra cluster is not installed, which `make install` leaves out")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(1800),
    pytest.mark.filterwarnings("ignore"),  # Ray's own
]

PATIENCE_S = 300.0
FEW_STEPS: dict[str, Any] = {"resolution": "256", "sampling": {"num_inference_steps": 3, "seed": 7}}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestCluster]:
    with ray_cluster(tmp_path_factory.mktemp("hosts")) as own:
        for name in ("first", "second"):
            own.start(name)
        yield own


@pytest.fixture
def studio(cluster: TestCluster, tmp_path: Path) -> Iterator[RunningServer]:
    with running(
        tmp_path / "here", own_imports=True, ORRERY_RAY=cluster.address, ORRERY_REPLICAS="2", ORRERY_DEVICE="cpu"
    ) as own:
        yield own


def hosts(server: RunningServer) -> list[dict[str, Any]]:
    return server.get("/v1/system").json()["hosts"]


def ready(server: RunningServer, count: int) -> bool:
    states = [engine["state"] for host in hosts(server) for engine in host["engines"]]
    return states.count("ready") == count


def workers(data: Path) -> list[int]:
    """Workers that write into a host's folder, whoever started them."""
    pids = (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())
    return [pid for pid in pids if f"--media={data}" in about(pid, "cmdline").replace("\0", " ")]


def test_a_result_from_another_host_equals_a_local_one_to_the_bit(
    studio: RunningServer, server: RunningServer, cluster: TestCluster
):
    studio.wait_ready()
    here = server.wait_job(server.submit(**FEW_STEPS)["id"])
    there = studio.wait_job(studio.submit(**FEW_STEPS)["id"])
    assert there["error"] is None
    pictures = [of.get(job["results"][0]["url"]).content for of, job in ((server, here), (studio, there))]
    assert pictures[0] == pictures[1]
    assert {host["shares_media"] for host in hosts(studio) if host["name"]} == {False}
    assert not list(cluster.data("first").rglob(f"{there['id']}-*"))


def test_no_job_is_lost_or_succeeds_twice_when_a_host_dies_and_comes_back(studio: RunningServer, cluster: TestCluster):
    wait_for(lambda: ready(studio, 2), PATIENCE_S)
    jobs = [studio.submit(**FEW_STEPS, count=1)["id"] for _ in range(12)]
    wait_for(lambda: studio.job(jobs[1])["state"] != "queued", PATIENCE_S)
    cluster.kill("second")
    wait_for(lambda: any(host["waits_for"] for host in hosts(studio)), PATIENCE_S)
    cluster.start("second")
    done = [studio.wait_job(job) for job in jobs]
    assert {job["state"] for job in done} == {"succeeded"}
    assert sum(job["attempts"] for job in done) <= 1
    assert len({result["id"] for job in done for result in job["results"]}) == len(jobs)
    wait_for(lambda: ready(studio, 2), PATIENCE_S)


def test_a_server_that_is_killed_leaves_no_worker_and_the_next_one_runs_its_job(cluster: TestCluster, tmp_path: Path):
    told = {"ORRERY_RAY": cluster.address, "ORRERY_REPLICAS": "2", "ORRERY_DEVICE": "cpu"}
    first = RunningServer(tmp_path, own_imports=True, **told).start()
    wait_for(lambda: ready(first, 2), PATIENCE_S)
    before = {pid for name in ("first", "second") for pid in workers(cluster.data(name))}
    assert len(before) == 2
    job = first.submit(resolution="256", sampling={"num_inference_steps": 200, "seed": 1})["id"]
    wait_for(lambda: first.job(job)["state"] == "running", PATIENCE_S)
    first.kill()
    wait_for(lambda: not any(about(pid, "cmdline") for pid in before), PATIENCE_S)
    with running(tmp_path, own_imports=True, **told) as second:
        assert second.wait_job(job)["state"] == "succeeded"
        after = {pid for name in ("first", "second") for pid in workers(cluster.data(name))}
        assert len(after) <= 2
        assert not after & before
