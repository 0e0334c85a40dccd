"""Engines on a real Ray cluster of this machine, measured: `PYTHONPATH=.:tests python tests/cluster_study.py [PART …]`.

* `overhead`: milliseconds of a job from submit to end (median of 20), a local engine beside a remote one without a
  shared folder, and the bytes of its results;
* `throughput`: jobs a minute of 1, 2 and 4 engines;
* `storm`: 200 jobs over six engines on three hosts, of which one is killed and comes back;
* `cut`: a host in a network namespace (root only), whose link is down for five seconds of a job.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ray_cluster import ray_cluster
from running import RunningServer, running, wait_for

JOB: dict[str, Any] = {"resolution": "256", "sampling": {"num_inference_steps": 2, "seed": 1}}
PATIENCE_S = 600.0
CPU = {"ORRERY_DEVICE": "cpu"}
CUT_S = 5.0
HEAD_IP, HOST_IP = "10.123.77.1", "10.123.77.2"
NAMESPACE, LINK = "orrery-cut", "orrery-cut0"


def engines(server: RunningServer) -> list[str]:
    """The states of all engines."""
    return [engine["state"] for host in server.get("/v1/system").json()["hosts"] for engine in host["engines"]]


def wait_engines(server: RunningServer, count: int) -> None:
    """Until so many can take a job."""
    wait_for(lambda: sum(state in ("ready", "busy") for state in engines(server)) == count, PATIENCE_S)


def finish(server: RunningServer, jobs: list[str]) -> list[dict[str, Any]]:
    """The jobs, once each has ended."""
    wait_for(lambda: all(server.job(job)["state"] not in ("queued", "running") for job in jobs), 4 * PATIENCE_S)
    return [server.job(job) for job in jobs]


def time_jobs(server: RunningServer, num_jobs: int = 20) -> tuple[float, int]:
    """Median of a job's time in ms, without the first, and the bytes of its results."""
    server.wait_ready()
    took_ms: list[float] = []
    num_bytes = 0
    for _ in range(num_jobs + 1):
        began = time.monotonic()
        name = server.submit(**JOB)["id"]
        while (job := server.job(name))["state"] in ("queued", "running"):
            time.sleep(0.002)
        assert job["state"] == "succeeded", job
        took_ms.append(1000 * (time.monotonic() - began))
        num_bytes = sum(len(server.get(result["url"]).content) for result in job["results"])
    return statistics.median(took_ms[1:]), num_bytes


def overhead(folder: Path) -> str:
    """What a remote engine costs beside a local one."""
    with running(folder / "local", **CPU) as local:
        local_ms, num_bytes = time_jobs(local)
    with ray_cluster(folder) as cluster:
        cluster.start("there")
        with running(folder / "here", own_imports=True, ORRERY_RAY=cluster.address, **CPU) as remote:
            remote_ms, _ = time_jobs(remote)
    return f"local {local_ms:.0f} ms, remote {remote_ms:.0f} ms a job, {num_bytes} bytes of results"


def throughput(folder: Path, num_jobs: int = 40) -> str:
    """Jobs a minute; all engines share the processors of this machine."""
    said: list[str] = []
    for count in (1, 2, 4):
        with ray_cluster(folder / f"{count}") as cluster:
            for number in range(count):
                cluster.start(f"host{number}")
            told = {"ORRERY_RAY": cluster.address, "ORRERY_REPLICAS": str(count)} | CPU
            with running(folder / f"here{count}", own_imports=True, **told) as server:
                wait_engines(server, count)
                finish(server, [server.submit(**JOB)["id"] for _ in range(2 * count)])
                began = time.monotonic()
                done = finish(server, [server.submit(**JOB)["id"] for _ in range(num_jobs)])
                said.append(f"{count} engines {60 * num_jobs / (time.monotonic() - began):.0f}")
                assert {job["state"] for job in done} == {"succeeded"}
    return "jobs a minute: " + ", ".join(said)


def storm(folder: Path, num_jobs: int = 200) -> str:
    """None is lost, and none succeeds twice."""
    with ray_cluster(folder) as cluster:
        for name in ("first", "second", "third"):
            cluster.start(name, num_cpus=2)
        with running(
            folder / "here", own_imports=True, ORRERY_RAY=cluster.address, ORRERY_REPLICAS="6", **CPU
        ) as server:
            wait_engines(server, 6)
            began = time.monotonic()
            jobs = [server.submit(**JOB)["id"] for _ in range(num_jobs)]
            wait_for(lambda: server.job(jobs[num_jobs // 5])["state"] == "succeeded", PATIENCE_S)
            cluster.kill("second")
            lost = time.monotonic()
            wait_for(lambda: len([state for state in engines(server) if state in ("ready", "busy")]) <= 4, PATIENCE_S)
            noticed_s = time.monotonic() - lost
            cluster.start("second", num_cpus=2)
            done = finish(server, jobs)
            took_s = time.monotonic() - began
            wait_engines(server, 6)
    results = [result["id"] for job in done for result in job["results"]]
    states, deaths = (dict(Counter(job[name] for job in done)) for name in ("state", "attempts"))
    return (
        f"{num_jobs} jobs in {took_s:.0f} s: {states}, deaths of workers {deaths}, {len(results)} results, "
        f"{len(set(results))} of them different; the dead host was noticed after {noticed_s:.0f} s, and its engines "
        "came back"
    )


@contextmanager
def namespace() -> Iterator[Callable[[str], None]]:
    """A network namespace with one link to this machine; call with `up` or `down`."""

    def ip(words: str) -> None:
        subprocess.run(["ip", *words.split()], check=True)

    ip(f"netns add {NAMESPACE}")
    try:
        ip(f"link add {LINK} type veth peer name there netns {NAMESPACE}")
        ip(f"addr add {HEAD_IP}/30 dev {LINK}")
        ip(f"link set {LINK} up")
        for words in (f"addr add {HOST_IP}/30 dev there", "link set there up", "link set lo up"):
            ip(f"-n {NAMESPACE} {words}")
        yield lambda state: ip(f"link set {LINK} {state}")
    finally:
        ip(f"netns del {NAMESPACE}")


def cut(folder: Path) -> str:
    """The job that runs meanwhile succeeds, and no worker has died."""
    with namespace() as link, ray_cluster(folder, HEAD_IP) as cluster:
        ray = str(Path(sys.executable).with_name("ray"))
        there = ["ip", "netns", "exec", NAMESPACE, ray]
        own = os.environ | {"ORRERY_DATA": str(folder / "there")}
        joins = ["start", "--address", cluster.address, "--node-ip-address", HOST_IP, "--num-cpus", "1", "--block"]
        host = subprocess.Popen([*there, *joins], env=own, stdout=subprocess.DEVNULL)
        try:
            with running(folder / "here", own_imports=True, ORRERY_RAY=cluster.address, **CPU) as server:
                server.wait_ready()
                steps = {"resolution": "480", "sampling": {"num_inference_steps": 200, "seed": 1}}
                job = server.submit(**steps)["id"]
                wait_for(lambda: server.job(job)["state"] == "running", PATIENCE_S)
                time.sleep(1)
                link("down")
                time.sleep(CUT_S)
                link("up")
                state = server.job(job)["state"]
                done = finish(server, [job])[0]
        finally:
            host.terminate()
            host.wait()
    return f"a cut of {CUT_S:.0f} s: the job was {state} when it ended, then {done['state']}, {done['attempts']} deaths"


PARTS = {part.__name__: part for part in (overhead, throughput, storm, cut)}


def main(names: list[str]) -> None:
    """Measure, and print a line for each part."""
    for name in names or PARTS:
        sys.stdout.write(f"{name}: {PARTS[name](Path(tempfile.mkdtemp()))}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
