from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from cli.verbs import checkpoints
from fake_hub import fake_hub


@pytest.fixture
def verifier(monkeypatch, tmp_path):
    """A stand-in for the program that verifies: it writes down what it was started with and leaves with 1."""
    script = tmp_path / "verifier.py"
    words = tmp_path / "words"
    script.write_text(f"import json, sys\nopen({str(words)!r}, 'w').write(json.dumps(sys.argv[1:]))\nsys.exit(1)\n")
    monkeypatch.setattr(checkpoints, "VERIFY_COMMAND", (sys.executable, str(script)))
    return lambda: json.loads(words.read_text())


@pytest.fixture
def folder(tmp_path):
    """As much of a checkpoint as the layout asks for."""
    whole = tmp_path / "mine"
    for name in (
        "model_index",
        "transformer/config",
        "vae/config",
        "scheduler/scheduler_config",
        "text_tokenizer/tokenizer_config",
    ):
        (whole / f"{name}.json").parent.mkdir(parents=True, exist_ok=True)
        (whole / f"{name}.json").write_text("{}")
    return whole


def test_the_list_is_the_same_with_and_without_its_name(orrery, offered, tmp_path):
    for words in (("checkpoints",), ("checkpoints", "list")):
        listed = json.loads(orrery(*words, "--data", tmp_path, "--json").stdout)
        assert [info["id"] for info in listed["checkpoints"]] == offered
    before = orrery("checkpoints", "--data", tmp_path, "--json", "list").stdout
    assert before == orrery("checkpoints", "list", "--json", "--data", tmp_path).stdout
    assert orrery("checkpoints", "list", "--data", tmp_path).stdout.startswith("id ")


def test_verifying_starts_the_program_and_leaves_as_it_does(orrery, verifier, folder):
    assert orrery("checkpoints", "verify", folder).exit_code == 1
    assert verifier() == ["--", str(folder)]
    assert orrery("checkpoints", "--json", "verify", folder, "--values").exit_code == 1
    assert verifier() == ["--values", "--json", "--", str(folder)]


def test_a_checkpoint_is_verified_by_its_name_where_it_was_built(orrery, verifier, folder, tmp_path):
    built = tmp_path / "data" / "checkpoints" / "speck"
    built.parent.mkdir(parents=True)
    folder.rename(built)
    assert orrery("checkpoints", "verify", "speck", "--data", tmp_path / "data").exit_code == 1
    assert verifier()[-1] == str(built)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("spek", "Did you mean speck?"),
        ("speck", "speck is not on this machine. A server builds it"),
        (".", "is not a Cosmos 3 checkpoint"),
    ],
)
def test_what_is_not_there_is_not_verified(refused, tmp_path, name, says):
    assert says in refused("checkpoints", "verify", name, "--data", tmp_path)


def test_only_what_is_on_a_hub_is_pulled(refused, tmp_path):
    assert "speck cannot be downloaded. A server builds it when" in refused(
        "checkpoints", "pull", "speck", "--data", tmp_path
    )
    assert "pocket cannot be downloaded. Its files belong in presets/pocket" in refused(
        "checkpoints", "pull", "pocket", "--data", tmp_path
    )
    assert "Did you mean cosmos3-nano" in refused("checkpoints", "pull", "cosmos3-nan", "--data", tmp_path)


def test_a_pull_says_where_the_checkpoint_lies(orrery, tmp_path, monkeypatch):
    with fake_hub({"model_index.json": b"{}", "transformer/x.safetensors": b"w"}) as (url, let_through):
        let_through.set()
        monkeypatch.setenv("HF_ENDPOINT", url)
        monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
        done = orrery("checkpoints", "pull", "cosmos3-nano", "--data", tmp_path)
    assert done.exit_code == 0
    assert (Path(done.stdout.strip()) / "model_index.json").is_file()


def test_a_variant_with_a_revision_is_pulled_from_there(orrery, tmp_path, monkeypatch):
    with fake_hub({"model_index.json": b"{}"}, branches={"fp8": {"model_index.json": b"[8]"}}) as (url, _):
        monkeypatch.setenv("HF_ENDPOINT", url)
        monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
        done = orrery("checkpoints", "pull", "cosmos3-nano-fp8", "--data", tmp_path)
    assert done.exit_code == 0
    assert (Path(done.stdout.strip()) / "model_index.json").read_bytes() == b"[8]"


def test_a_hub_that_wants_its_terms_accepted_is_quoted(refused, tmp_path, monkeypatch):
    with fake_hub({"model_index.json": b"{}"}, gated=True) as (url, _):
        monkeypatch.setenv("HF_ENDPOINT", url)
        monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
        assert "Accept them at" in refused("checkpoints", "pull", "cosmos3-nano", "--data", tmp_path)


@pytest.mark.parametrize(
    ("name", "repository"),
    [
        ("depth-anything-v2-small", "depth-anything/Depth-Anything-V2-Small-hf"),
        ("sam2.1-hiera-large", "facebook/sam2.1-hiera-large"),
    ],
)
def test_a_model_that_computes_controls_is_pulled_by_its_name(orrery, tmp_path, monkeypatch, name, repository):
    monkeypatch.setattr("cli.verbs.checkpoints._pulled", lambda command, title: f"{title}: {command[-1]}")
    done = orrery("checkpoints", "pull", name, "--data", tmp_path)
    assert done.stdout.strip().endswith(f": {repository}")


def test_a_server_without_a_cluster_has_no_other_hosts(orrery, server):
    listed = orrery("checkpoints", "hosts", "--server", server.url)
    assert listed.exit_code == 0, listed.stderr
    assert listed.stdout.split() == ["replica", "host", "installed", "engines"]
    assert json.loads(orrery("checkpoints", "hosts", "--server", server.url, "--json").stdout) == []
