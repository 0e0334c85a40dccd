"""`orrery serve`, as the process that it becomes."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import httpx
import pytest
from safetensors.numpy import save_file

from cli.target import SERVER_COMMAND, server_environment
from studio.checkpoints import INDEXES, REQUIRED
from studio.data_folder import DataFolder, Hold, find_holder


@pytest.fixture
def refused_start(spawn):
    """Start a server that must refuse: one line, exit code 2."""

    def call(*words: object) -> str:
        stdout, stderr = spawn("serve", *words).communicate(timeout=120)
        lines = [line for line in stderr.decode().splitlines() if line.startswith("orrery: ")]
        assert b"Traceback" not in stderr
        assert stdout == b""
        assert len(lines) == 1, stderr
        return lines[0]

    return call


def test_flags_become_variables_over_the_environment():
    environment = {"PATH": "/bin", "ORRERY_PORT": "1", "ORRERY_HOST": "::1"}
    said = {"port": 0, "data": Path("/d"), "allowed_hosts": "a,b", "token": None}
    assert server_environment(environment, said) == {
        "PATH": "/bin",
        "ORRERY_PORT": "0",
        "ORRERY_HOST": "::1",
        "ORRERY_DATA": "/d",
        "ORRERY_ALLOWED_HOSTS": "a,b",
    }
    assert environment["ORRERY_PORT"] == "1"


def test_the_server_is_this_python_and_not_a_folder_where_one_stands():
    assert (sys.executable, "-P", "-m", "backend") == SERVER_COMMAND


def test_a_port_in_use_is_refused(refused_start, silent_port, tmp_path):
    said = refused_start("--port", silent_port, "--data", tmp_path / "d")
    assert f"Cannot listen on 127.0.0.1:{silent_port}" in said
    assert "--port" in said


def test_a_data_folder_that_cannot_be_written_is_refused(refused_start, tmp_path):
    (tmp_path / "d").write_text("a file")
    assert f"The data folder {tmp_path / 'd'} cannot be written" in refused_start("--data", tmp_path / "d")


def test_a_public_address_without_a_token_is_refused(refused_start, tmp_path):
    said = refused_start("--host", "0.0.0.0", "--data", tmp_path / "d")
    assert "no token is set. Set a token with --token" in said


def test_a_data_folder_that_is_held_is_refused(refused_start, tmp_path):
    folder = DataFolder(tmp_path / "d")
    folder.prepare()
    hold = Hold(folder)
    hold.announce("http://127.0.0.1:9")
    assert f"is in use by process {os.getpid()} at http://127.0.0.1:9" in refused_start(
        "--data", folder.root, "--port", 0
    )
    hold.release()


def test_a_flag_that_means_nothing_is_refused(refused, refused_start, tmp_path):
    assert "Invalid value for '--port'" in refused("serve", "--port", "x")
    assert "should be less than or equal to 65535" in refused("serve", "--port", 70000, "--data", tmp_path)
    assert "device is 'tpu'" in refused_start("--device", "tpu", "--data", tmp_path)


@pytest.mark.slow
def test_a_checkpoint_that_cannot_be_served_is_refused(refused_start, tmp_path):
    words = ("--port", 0, "--data", tmp_path / "d", "--checkpoint")
    assert "There is no checkpoint 'spek'" in refused_start(*words, "spek")
    assert "is not on this machine" in refused_start(*words, "cosmos3-nano")
    (tmp_path / "empty").mkdir()
    assert "is not a Cosmos 3 checkpoint: missing" in refused_start(*words, tmp_path / "empty")

    for name in (INDEXES[0], *REQUIRED):
        (tmp_path / "cut" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "cut" / name).write_text("{}")
    shard = tmp_path / "cut" / "transformer" / "model.safetensors"
    save_file({}, shard)
    shard.write_bytes(shard.read_bytes()[:-1])
    assert "model.safetensors is truncated" in refused_start(*words, tmp_path / "cut")


@pytest.mark.slow
def test_a_server_says_where_it_listens_and_leaves_when_told(spawn, tmp_path):
    process = spawn("serve", "--port", 0, "--data", tmp_path / "d", "--token", "secret")
    line = process.stdout.readline().decode()
    assert line.startswith("orrery listening on http://127.0.0.1:")
    url = line.split()[-1]
    assert httpx.get(f"{url}/healthz", timeout=60).text == "ok"
    assert httpx.get(f"{url}/v1/jobs", timeout=60).status_code == 401
    assert httpx.get(f"{url}/v1/jobs", timeout=60, headers={"authorization": "Bearer secret"}).status_code == 200
    holder = find_holder(DataFolder(tmp_path / "d"))
    assert holder is not None
    assert (holder.pid, holder.url) == (process.pid, url)
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) is not None
    assert find_holder(DataFolder(tmp_path / "d")) is None
