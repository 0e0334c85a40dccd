"""Fetching a checkpoint from a hub on loopback."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fake_hub import fake_hub
from studio.pulling import cached_folder

WEIGHTS = b"w" * 300_000
FILES = {"model_index.json": b"{}", "transformer/weights.safetensors": WEIGHTS, "README.md": b"words"}
REPOSITORY = "nvidia/Cosmos3-Nano"


def puller(home: Path, url: str, repository: str = REPOSITORY, *revision: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "HF_ENDPOINT": url, "HF_HOME": str(home), "HF_HUB_OFFLINE": "0"}
    command = [sys.executable, "-m", "studio.pulling", repository, *revision]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def said(process: subprocess.Popen[str]) -> list[dict[str, Any]]:
    text, _ = process.communicate(timeout=120)
    return [json.loads(line) for line in text.splitlines()]


def test_what_engines_read_is_fetched_and_how_far_it_is_told(tmp_path: Path):
    with fake_hub(FILES) as (url, let_through):
        let_through.set()
        told = said(puller(tmp_path, url))

    folder = Path(told[-1]["folder"])
    fetched = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert fetched == {"model_index.json", "transformer/weights.safetensors"}
    assert (folder / "transformer" / "weights.safetensors").read_bytes() == WEIGHTS
    size = len(WEIGHTS) + len(FILES["model_index.json"])
    assert told[-2] == {"done": size, "total": size}


def test_a_pull_that_was_killed_is_done_again_and_comes_to_its_end(tmp_path: Path):
    with fake_hub(FILES) as (url, let_through):
        process = puller(tmp_path, url)
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["done"] < len(WEIGHTS)
        process.kill()
        process.communicate(timeout=60)
        let_through.set()
        assert "folder" in said(puller(tmp_path, url))[-1]


def test_a_revision_is_fetched_beside_the_main_branch_and_found_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    # The library reads it once for a process; what it read must not be this folder, which is full in the end.
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "own"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "own"))
    eight = {"model_index.json": b"{}", "transformer/weights.safetensors": b"8" * 150_000}
    with fake_hub(FILES, branches={"fp8": eight}) as (url, let_through):
        let_through.set()
        main = said(puller(tmp_path, url))[-1]["folder"]
        assert cached_folder(REPOSITORY, "fp8") is None
        let_through.clear()
        process = puller(tmp_path, url, REPOSITORY, "fp8")
        assert process.stdout is not None
        # What lies there of the other revision is not counted.
        assert json.loads(process.stdout.readline())["done"] < 150_000
        let_through.set()
        folder = said(process)[-1]["folder"]
        assert said(puller(tmp_path, url, REPOSITORY, "fp9"))[-1]["error"]["code"] == "checkpoint_not_found"

    assert (cached_folder(REPOSITORY, "fp8"), cached_folder(REPOSITORY)) == (Path(folder), Path(main))
    assert (Path(folder) / "transformer" / "weights.safetensors").read_bytes() == b"8" * 150_000
    assert (Path(main) / "transformer" / "weights.safetensors").read_bytes() == WEIGHTS


@pytest.mark.parametrize(
    ("gated", "repository", "code"),
    [(True, REPOSITORY, "unauthorized"), (False, "somebody/else", "checkpoint_not_found")],
)
def test_a_hub_that_refuses_says_why(tmp_path: Path, gated: bool, repository: str, code: str):
    with fake_hub(FILES, gated=gated) as (url, _):
        assert said(puller(tmp_path, url, repository))[-1]["error"]["code"] == code


def test_without_a_network_it_says_so_and_that_nothing_is_lost(tmp_path: Path):
    error = said(puller(tmp_path, "http://127.0.0.1:9"))[-1]["error"]
    assert error["code"] == "server_unreachable"
    assert "continues where it stopped" in error["hint"]
