from __future__ import annotations

import json
import sys

import pytest

from engine.bench import __main__ as bench
from engine.bench.cases import all_cases


def run(monkeypatch, *words) -> int:
    monkeypatch.setattr(sys, "argv", ["bench", *map(str, words)])
    return bench.main()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_bench_prints_a_table_writes_json_and_no_mode_is_slower_than_diffusers(
    speck, tmp_path, monkeypatch, capsys
):
    assert run(monkeypatch, "--folder", speck, "--repeats", "3", "--json", tmp_path / "bench.json") == 0
    titles, *rows = capsys.readouterr().out.splitlines()
    assert titles.split() == ["case", "orrery", "diffusers", "2", "threads", "ratio"]
    cases = json.loads((tmp_path / "bench.json").read_text())["cases"]
    assert [case["case"] for case in cases] == [case.name for case in all_cases(4)]
    assert len(rows) == len(cases)
    slower = {case["case"]: round(case["ratio"], 2) for case in cases if case["ratio"] < 1}
    assert not slower


@pytest.mark.parametrize("name", ["inverse dynamics", "distilled image"])
def test_a_case_runs_in_both_programs(speck, monkeypatch, capsys, name):
    assert run(monkeypatch, "--folder", speck, "--repeats", "1", "--steps", "1", "--only", name) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith(name)


def test_a_folder_that_is_no_checkpoint_ends_it_with_one_line(tmp_path, monkeypatch, capsys):
    assert run(monkeypatch, "--folder", tmp_path) == 2
    assert "is no Cosmos 3 checkpoint" in capsys.readouterr().err


def test_a_case_that_nobody_knows_ends_it_with_one_line(tmp_path, monkeypatch, capsys):
    assert run(monkeypatch, "--only", "dreams") == 2
    assert capsys.readouterr().err == "No case is called 'dreams'.\n"
