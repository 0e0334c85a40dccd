"""What a remote engine costs beside a local one: `PYTHONPATH=.:tests python tests/cluster_overhead.py [JOBS]`.

The same job on speck, one after another, on a server with its own engine and on one whose engine is a Ray actor on this
machine without a shared folder. Prints milliseconds of a job from submit to end (median), and bytes of its results.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from ray_cluster import ray_cluster
from running import RunningServer, running

JOB: dict[str, Any] = {"resolution": "256", "sampling": {"num_inference_steps": 2, "seed": 1}}


def measure(server: RunningServer, num_jobs: int) -> tuple[float, int]:
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


def main(num_jobs: int) -> None:
    """Measure both and print a line for each."""
    folder = Path(tempfile.mkdtemp())
    with running(folder / "local", ORRERY_DEVICE="cpu") as local:
        local_ms, num_bytes = measure(local, num_jobs)
    with ray_cluster(folder) as cluster:
        cluster.start("there")
        with running(folder / "here", ORRERY_RAY=cluster.address, ORRERY_DEVICE="cpu") as remote:
            remote_ms, _ = measure(remote, num_jobs)
    sys.stdout.write(f"local {local_ms:.0f} ms, remote {remote_ms:.0f} ms a job, {num_bytes} bytes of results\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
