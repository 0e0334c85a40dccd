from __future__ import annotations

import json
import sys

from engine.bench import __main__ as bench
from engine.bench import caching


def run(monkeypatch, *words) -> int:
    monkeypatch.setattr(sys, "argv", ["bench", "--device", "cpu", "--step-cache", *map(str, words)])
    return bench.main()


def test_thresholds_are_held_against_the_exact_path_and_join_what_was_measured_before(
    speck, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(caching, "THRESHOLDS", (0, 0.2))
    path = tmp_path / "b.json"
    path.write_text('{"rows": []}')
    assert run(monkeypatch, "--folder", speck, "--repeats", 1, "--case", "t2i-256-35", "--json", path) == 0
    report = json.loads(path.read_text())
    assert report["rows"] == []
    exact, nothing, cached = report["step_cache"]
    assert (exact["step_cache"], exact["computed"], exact["kept"], exact["psnr_db"]) == (None, 35, 0, None)
    assert (nothing["kept"], nothing["psnr_db"]) == (0, 99)
    assert cached["kept"] > 5
    assert cached["computed"] + cached["kept"] == 35
    assert 20 < cached["psnr_db"] < 99
    assert 0.9 < cached["ssim"] < 1
    titles, *lines = capsys.readouterr().out.splitlines()
    assert titles.split()[:5] == ["case", "step", "cache", "computed", "kept"]
    assert [line.split()[1] for line in lines] == ["exact", "0", "0.2"]


def test_a_case_that_nobody_knows_ends_it_with_one_line(speck, monkeypatch, capsys):
    assert run(monkeypatch, "--folder", speck, "--case", "dreams") == 2
    assert capsys.readouterr().err == "No case is called 'dreams': t2i-256-35, t2v-256.\n"


def test_a_folder_that_is_no_checkpoint_ends_it_with_one_line(tmp_path, monkeypatch, capsys):
    assert run(monkeypatch, "--folder", tmp_path) == 2
    assert "is not a Cosmos 3 checkpoint" in capsys.readouterr().err
