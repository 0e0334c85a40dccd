"""Kills and refusals, against real processes."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from backend.worker.priority import PROC, sessions_are_groups
from running import START_S, RunningServer, is_alive, running, wait_for

LONG: dict[str, Any] = {
    "resolution": "720",
    "aspect_ratio": "16:9",
    "sampling": {"num_inference_steps": 200, "seed": 17},
}
SHORT: dict[str, Any] = {"sampling": {"num_inference_steps": 2, "seed": 18}}


@pytest.fixture
def data(tmp_path: Path, server: RunningServer) -> Path:
    """A data folder of its own, with the speck that the shared server has built."""
    folder = tmp_path / "data"
    shutil.copytree(server.data / "checkpoints", folder / "checkpoints")
    return folder


def run_backend(**environment: str) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith("ORRERY_")} | environment
    return subprocess.run(
        [sys.executable, "-m", "backend"], env=env, capture_output=True, text=True, timeout=120, check=False
    )


def refusal(**environment: str) -> str:
    """The one line with which a server refuses to start."""
    done = run_backend(**{"ORRERY_PORT": "0", **environment})
    lines = [line for line in done.stderr.splitlines() if not line.startswith("{")]
    assert done.returncode == 2, done.stderr
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("orrery: ")
    return lines[0]


@pytest.mark.slow
def test_a_killed_worker_costs_an_attempt_and_the_second_fails_the_job(data: Path):
    with running(data) as server:
        server.wait_ready()
        job, after = server.submit(**LONG), server.submit(**SHORT)
        for attempt in (0, 1):
            server.wait_job(
                job["id"], lambda job, attempt=attempt: job["attempts"] == attempt and job["progress"]["step"] > 0
            )
            os.kill(server.worker_pid(), signal.SIGKILL)
        failed = server.wait_job(job["id"])

        assert failed["state"] == "failed"
        assert failed["error"]["code"] == "engine_lost"
        assert failed["returns"] == 0
        assert server.wait_job(after["id"])["state"] == "succeeded"


@pytest.mark.slow
def test_a_killed_worker_is_replaced_and_its_job_runs_again_first_in_line(data: Path):
    with running(data) as server:
        server.wait_ready()
        job = server.submit(sampling={"num_inference_steps": 200, "seed": 3}, resolution="480")
        later = server.submit(**SHORT)
        server.wait_job(job["id"], lambda job: job["progress"]["step"] > 0)
        os.kill(server.worker_pid(), signal.SIGKILL)

        done = server.wait_job(job["id"])
        assert done["state"] == "succeeded"
        assert done["attempts"] == 1
        assert done["results"][0]["seed"] == 3
        assert server.wait_job(later["id"])["started_at"] > done["finished_at"]


@pytest.mark.slow
def test_a_killed_server_puts_its_job_back_first_in_line_uncounted(data: Path):
    server = RunningServer(data).start()
    server.wait_ready()
    running_job, queued = server.submit(**LONG), server.submit(**SHORT)
    server.wait_job(running_job["id"], lambda job: job["progress"]["step"] > 0)
    worker = server.worker_pid()

    server.kill()

    wait_for(lambda: not is_alive(worker), 60)
    with running(data) as again:
        again.wait_ready()
        returned = again.wait_job(running_job["id"], lambda job: job["progress"]["step"] > 0)
        assert returned["state"] == "running"
        assert (returned["attempts"], returned["returns"]) == (0, 1)
        assert returned["request"] == running_job["request"]
        assert again.job(queued["id"])["state"] == "queued"
        again.delete(f"/v1/jobs/{running_job['id']}")
        assert again.wait_job(queued["id"])["state"] == "succeeded"


@pytest.mark.slow
def test_a_server_told_to_stop_gives_its_job_back_without_blame(data: Path):
    server = RunningServer(data).start()
    server.wait_ready()
    job = server.submit(**LONG)
    server.wait_job(job["id"], lambda job: job["progress"]["step"] > 0)
    worker = server.worker_pid()

    assert server.stop() in (0, -signal.SIGTERM)

    # Killed by then; a busy machine takes a moment over its memory.
    wait_for(lambda: not is_alive(worker), 60)
    with running(data) as again:
        returned = again.job(job["id"])
        assert (returned["attempts"], returned["returns"]) == (0, 0)


def test_half_written_files_are_swept_at_start_and_a_kill_while_the_worker_loads_leaves_no_orphan(data: Path):
    leftover = data / "media" / "ab" / "ab0000000000-0.png.77.part"
    leftover.parent.mkdir(parents=True)
    leftover.write_bytes(b"half")

    server = RunningServer(data).start()
    assert not leftover.exists()
    worker = server.worker_pid()
    wait_for(lambda: stands_back(worker), 60)
    os.kill(worker, signal.SIGSTOP)  # now it notices no closed pipe: the kernel has to end it
    server.kill()

    wait_for(lambda: not is_alive(worker), 60)


def stands_back(worker: int) -> bool:
    """Whether a worker has come to its first lines; it ties itself to its server just before."""
    niceness = os.getpriority(os.PRIO_PROCESS, worker)
    if sessions_are_groups():
        niceness = int((PROC / str(worker) / "autogroup").read_text().rsplit(maxsplit=1)[-1])
    return niceness > 0


def test_a_second_server_on_the_same_folder_says_who_holds_it(server: RunningServer):
    said = refusal(ORRERY_DATA=str(server.data))

    assert server.process is not None
    assert str(server.process.pid) in said
    assert server.url in said


def test_a_port_in_use_is_refused(data: Path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        said = refusal(ORRERY_DATA=str(data), ORRERY_PORT=str(port))

    assert str(port) in said
    assert "--port" in said


def test_a_public_address_without_a_token_is_refused(data: Path):
    assert "token" in refusal(ORRERY_DATA=str(data), ORRERY_HOST="0.0.0.0")


@pytest.mark.parametrize(
    ("name", "value"), [("PORT", "70000"), ("PORT", "x"), ("DEVICE", "tpu"), ("CHECKPOINT", "spek")]
)
def test_a_setting_that_cannot_be_is_named(data: Path, name: str, value: str):
    said = refusal(**{"ORRERY_DATA": str(data), f"ORRERY_{name}": value})

    assert value in said


def test_a_data_folder_that_cannot_be_written_is_refused(tmp_path: Path):
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")

    said = refusal(ORRERY_DATA=str(in_the_way))

    assert str(in_the_way) in said
    assert "--data" in said


def test_a_folder_that_is_no_checkpoint_says_what_it_lacks(tmp_path: Path):
    said = refusal(ORRERY_DATA=str(tmp_path / "data"), ORRERY_CHECKPOINT=str(tmp_path))

    assert "model_index.json" in said


def test_a_truncated_checkpoint_is_refused_and_the_file_named(tmp_path: Path, server: RunningServer):
    broken = tmp_path / "broken"
    shutil.copytree(server.data / "checkpoints" / "speck", broken)
    shard = sorted(broken.glob("transformer/*.safetensors"))[0]
    os.truncate(shard, shard.stat().st_size - 100)

    said = refusal(ORRERY_DATA=str(tmp_path / "data"), ORRERY_CHECKPOINT=str(broken))

    assert shard.name in said
    assert "truncated" in said


@pytest.mark.slow
def test_a_checkpoint_with_an_unknown_tensor_fails_to_load_in_words_and_takes_no_jobs(
    tmp_path: Path, server: RunningServer
):
    broken = tmp_path / "odd"
    shutil.copytree(server.data / "checkpoints" / "speck", broken)
    shard = sorted(broken.glob("transformer/*.safetensors"))[0]
    raw = shard.read_bytes()
    shard.write_bytes(raw.replace(b"layers.0.self_attn.to_q.weight", b"layers.0.self_attn.to_x.weight"))

    with running(tmp_path / "data", ORRERY_CHECKPOINT=str(broken)) as started:
        wait_for(lambda: started.get("/readyz").text == "failed", START_S)
        answer = started.post("/v1/jobs", json={"kind": "generate_image", "prompt": "x"})

    assert answer.status_code == 409
    assert answer.json()["error"]["code"] == "broken_checkpoint"
    assert "to_" in answer.json()["error"]["message"]


@pytest.mark.slow
def test_a_database_from_a_later_orrery_is_refused(tmp_path: Path, data: Path):
    with running(data):
        pass
    import sqlite3

    with sqlite3.connect(data / "orrery.db") as database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")

    assert "newer Orrery" in refusal(ORRERY_DATA=str(data))


def test_a_database_that_is_none_is_refused(data: Path):
    (data / "orrery.db").write_bytes(b"no database at all" * 100)

    assert "orrery.db" in refusal(ORRERY_DATA=str(data))
