"""Groups of ranks measured against one, here two processes on a tiny checkpoint."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from engine.bench.__main__ import main
from engine.bench.groups import GroupLine, GroupLines, all_layouts
from engine.parallel import Layout

CLOSE = 1e-5


def bench(*words: object) -> subprocess.CompletedProcess[str]:
    # A process of its own: ranks meet once in a process.
    command = [sys.executable, "-m", "engine.bench", "--device", "cpu", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_layouts_go_from_one_rank_over_branches_and_tokens_to_all():
    assert all_layouts(2) == [Layout(1, 1), Layout(2, 1), Layout(1, 2)]
    assert all_layouts(4) == [*all_layouts(2), Layout(2, 2), Layout(1, 4)]
    assert all_layouts(8) == [*all_layouts(4), Layout(2, 4), Layout(1, 8)]


# Processes that import the engine take most of it.
@pytest.mark.slow
def test_two_processes_make_what_one_makes_in_every_layout_exact_and_in_fp8(tmp_path: Path):
    ended = bench("--gpus", 2, "--repeats", 1, "--engines", "exact,fp8", "--json", tmp_path / "groups.json")
    assert ended.returncode == 0, ended.stderr
    rows = json.loads((tmp_path / "groups.json").read_text())["groups"]
    measured = {(row["case"], row["engine"], row["layout"], row["is_decode_divided"]) for row in rows}
    whole = {("1x1", None), ("2x1", None), ("1x2", None)}
    divided = {("1x1", None), *((layout, how) for layout in ("2x1", "1x2") for how in (True, False))}
    assert measured == {
        (case, engine, *how)
        for engine in ("exact", "fp8")
        for case, layouts in (("t2i-256-2", whole), ("policy", whole), ("t2v-256", divided))
        for how in layouts
    }
    shared = [row for row in rows if row["layout"] != "1x1"]
    assert all(row["error"] < CLOSE for row in shared)
    assert all(row["levels"] is None or row["levels"] <= 1 for row in shared)
    assert "t2v-256" in ended.stdout


@pytest.mark.slow
def test_weights_that_are_divided_give_the_same_latents(tmp_path: Path):
    common = ("--gpus", 2, "--repeats", 1, "--engines", "exact", "--case", "t2v-256", "--layouts", "2x1")
    for how in ((), ("--shard-weights",)):
        ended = bench(*common, *how, "--json", tmp_path / "groups.json")
        assert ended.returncode == 0, ended.stderr
    rows = json.loads((tmp_path / "groups.json").read_text())["groups"]
    assert {row["shards_weights"] for row in rows} == {True, False}
    assert len({row["digest"] for row in rows}) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--gpus", 2, "--layouts", "1x3"), "1x3 is no layout of 2 ranks: 1x1, 2x1, 1x2."),
        (("--gpus", 2, "--shard-weights"), "Weights that are divided need all ranks"),
    ],
)
def test_what_cannot_be_measured_is_said_before_anything_starts(monkeypatch, capsys, words, said):
    monkeypatch.setattr(sys, "argv", ["bench", "--device", "cpu", *map(str, words)])
    assert main() == 2
    assert said in capsys.readouterr().err


def test_a_row_that_is_measured_again_replaces_its_own_and_leaves_other_tables(tmp_path: Path):
    path = tmp_path / "bench.json"
    path.write_text(json.dumps({"rows": [1]}))
    line = GroupLine(
        "t2v-256", "exact", "nano", False, "2x1", True, 1.0, 2.0, 3.0, None, None, True, 0.0, 0, False, "a"
    )
    GroupLines(path, torch.device("cpu")).add(line)
    again = GroupLines(path, torch.device("cpu"))
    again.add(line)
    assert "2x1 divided" in again.table()
    kept = json.loads(path.read_text())
    assert kept["rows"] == [1]
    assert len(kept["groups"]) == 1
