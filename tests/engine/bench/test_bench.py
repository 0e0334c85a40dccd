from __future__ import annotations

import json
import sys

import pytest

from engine.bench import __main__ as bench


@pytest.mark.slow
def test_the_bench_prints_a_table_writes_json_and_ours_is_not_slower(speck, tmp_path, monkeypatch, capsys):
    arguments = ["bench", "--folder", str(speck), "--repeats", "3", "--json", str(tmp_path / "bench.json")]
    monkeypatch.setattr(sys, "argv", arguments)
    assert bench.main() == 0
    assert "image 256x256, 20 steps, guided" in capsys.readouterr().out
    (case,) = json.loads((tmp_path / "bench.json").read_text())["cases"]
    assert case["ratio"] > 1


def test_a_folder_that_is_no_checkpoint_ends_it_with_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["bench", "--folder", str(tmp_path)])
    assert bench.main() == 2
    assert "is no Cosmos 3 checkpoint" in capsys.readouterr().err
