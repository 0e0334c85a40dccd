"""A worker that leads another rank, in a real server on this machine's processors."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from running import RunningServer, about, children, is_alive, running, wait_for

pytestmark = pytest.mark.slow

CLIP = {"kind": "generate_video", "num_frames": 9, "resolution": "256"}


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory):
    with running(tmp_path_factory.mktemp("data"), ORRERY_GPUS="2") as server:
        wait_ready(server)
        yield server


def wait_ready(server: RunningServer) -> None:
    """Two processes import the engine one after the other before it is."""
    wait_for(lambda: server.get("/readyz").status_code == 200, 200)


def follower(server: RunningServer) -> int:
    def rank() -> int | None:
        ranks = (pid for pid in children(server.worker_pid()) if "backend.worker" in about(pid, "cmdline"))
        return next(ranks, None)

    return wait_for(rank, 60)


def a_clip(server: RunningServer, steps: int, num_frames: int = 9) -> str:
    sampling = {"num_inference_steps": steps, "guidance_scale": 3.0, "seed": 3}
    return server.submit(**CLIP | {"num_frames": num_frames}, sampling=sampling)["id"]


@pytest.mark.parametrize(
    ("steps", "num_frames", "is_there"),
    [
        pytest.param(200, 9, lambda job: job["progress"]["step"] > 0, id="in-a-step"),
        # The fewest frames whose decode is divided: 34 pieces, which take seconds.
        pytest.param(1, 133, lambda job: job["progress"]["phase"] == "decoding", id="in-a-decode"),
    ],
)
def test_a_killed_rank_is_replaced_with_its_group_and_the_job_runs_again(
    pair: RunningServer, steps: int, num_frames: int, is_there: Callable[[dict[str, Any]], bool]
):
    wait_ready(pair)
    worker, rank = pair.worker_pid(), follower(pair)
    job_id = a_clip(pair, steps, num_frames)
    pair.wait_job(job_id, is_there)

    os.kill(rank, signal.SIGKILL)

    wait_for(lambda: not is_alive(worker), 60)
    wait_ready(pair)
    done = pair.wait_job(job_id)
    assert done["state"] == "succeeded", done
    assert done["attempts"] == 1
    assert not is_alive(rank)
    assert follower(pair) != rank


def test_a_cancelled_clip_leaves_the_group_as_it_was(pair: RunningServer):
    wait_ready(pair)
    worker, rank = pair.worker_pid(), follower(pair)
    job_id = a_clip(pair, 200)
    pair.wait_job(job_id, lambda job: job["progress"]["step"] > 0)

    pair.delete(f"/v1/jobs/{job_id}")

    cancelled = pair.wait_job(job_id)
    assert cancelled["state"] == "cancelled"
    assert cancelled["progress"]["step"] < 200
    assert pair.wait_job(a_clip(pair, 3))["state"] == "succeeded"
    assert (pair.worker_pid(), follower(pair)) == (worker, rank)


@pytest.mark.parametrize("setting", ["ORRERY_OFFLOAD", "ORRERY_SHARD_WEIGHTS"])
def test_ranks_with_weights_elsewhere_make_clips_and_images_and_end_with_their_server(tmp_path: Path, setting: str):
    server = RunningServer(tmp_path, ORRERY_GPUS="2", **{setting: "true"}).start()
    wait_ready(server)
    rank = follower(server)
    assert server.wait_job(a_clip(server, 2))["state"] == "succeeded"
    image = server.submit(resolution="256", sampling={"num_inference_steps": 2, "seed": 3})
    assert server.wait_job(image["id"])["state"] == "succeeded"

    server.kill()

    wait_for(lambda: not is_alive(rank), 60)
