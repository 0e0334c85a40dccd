"""A rank that is killed under NCCL: noticed at once, replaced with its group, and its job run again."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest
import torch

from running import RunningServer, about, children, is_alive, running, wait_for

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs"),
    pytest.mark.timeout(600),
]

NOTICED_S = 1.0
GONE_S = 5.0
"""Until the leader's process has ended: the driver takes its memory apart first."""

POLL_S = 0.005


def test_a_rank_killed_under_nccl_is_noticed_within_a_second_and_its_job_runs_again(tmp_path: Path, record_property):
    with running(tmp_path, ORRERY_GPUS="2", ORRERY_DEVICE="cuda") as server:
        wait_ready(server)
        worker, rank = server.worker_pid(), follower(server)
        sampling = {"num_inference_steps": 200, "guidance_scale": 3.0, "seed": 3}
        job_id = server.submit(kind="generate_video", num_frames=189, resolution="256", sampling=sampling)["id"]
        server.wait_job(job_id, lambda job: job["progress"]["step"] > 20)

        killed = time.monotonic()
        os.kill(rank, signal.SIGKILL)

        noticed_s = seconds_until(lambda: any("rank_lost" in line for line in server.log), killed)
        gone_s = seconds_until(lambda: not is_alive(worker), killed)
        again = server.wait_job(job_id, lambda job: job["attempts"] > 0 and job["progress"]["step"] > 20)
        again_s = time.monotonic() - killed
        assert again["attempts"] == 1, again
        assert server.worker_pid() != worker
        assert follower(server) != rank
        server.delete(f"/v1/jobs/{job_id}")
        for name, seconds in (("noticed", noticed_s), ("gone", gone_s), ("again", again_s)):
            record_property(name, f"{seconds:.3f} s")
            sys.stdout.write(f"{name} after {seconds:.3f} s\n")
        assert noticed_s < NOTICED_S
        assert gone_s < GONE_S


def wait_ready(server: RunningServer) -> None:
    """Two processes import the engine and compile before it is."""
    wait_for(lambda: server.get("/readyz").status_code == 200, 300)


def follower(server: RunningServer) -> int:
    def rank() -> int | None:
        ranks = (pid for pid in children(server.worker_pid()) if "backend.worker" in about(pid, "cmdline"))
        return next(ranks, None)

    return wait_for(rank, 60)


def seconds_until(holds, since: float) -> float:
    while not holds():
        assert time.monotonic() - since < 60
        time.sleep(POLL_S)
    return time.monotonic() - since
