from __future__ import annotations

import json
import sys
import time
from argparse import Namespace
from types import SimpleNamespace

import pytest
import torch

from engine.bench import __main__ as bench
from engine.bench import modes, speed, throughput
from engine.bench.cases import all_cases
from engine.bench.stage import Stage, library_transformer


def run(monkeypatch, *words) -> int:
    monkeypatch.setattr(sys, "argv", ["bench", "--device", "cpu", *map(str, words)])
    return bench.main()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_bench_prints_a_table_writes_json_and_no_mode_is_slower_than_diffusers(
    speck, tmp_path, monkeypatch, capsys
):
    # Seconds of the processor: what a busy machine takes beside it is nobody's.
    monkeypatch.setattr(modes, "time", SimpleNamespace(perf_counter=time.process_time))
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
    assert run(monkeypatch, "--folder", speck, "--repeats", "1", "--steps", "1", "--case", name) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith(name)


def test_a_folder_that_is_no_checkpoint_ends_it_with_one_line(tmp_path, monkeypatch, capsys):
    assert run(monkeypatch, "--folder", tmp_path) == 2
    assert "is not a Cosmos 3 checkpoint" in capsys.readouterr().err


def test_a_case_that_nobody_knows_ends_it_with_one_line(tmp_path, monkeypatch, capsys):
    assert run(monkeypatch, "--case", "dreams") == 2
    assert capsys.readouterr().err == "No case is called 'dreams'.\n"


@pytest.mark.slow
def test_the_rows_of_a_gpu_run_small_on_a_processor_and_a_row_that_is_run_again_replaces_its_own(
    tmp_path, monkeypatch, capsys
):
    stage = Stage.build(torch.device("cpu"))
    monkeypatch.setattr(speed.Stage, "build", lambda *_, **__: stage)
    options = Namespace(
        engines="diffusers,exact",
        case=None,
        json=tmp_path / "b.json",
        repeats=1,
        max_steps=None,
        offload=False,
        shape="nano",
    )
    assert speed.run(options, torch.device("cpu")) == 0
    rows = json.loads((tmp_path / "b.json").read_text())["rows"]
    assert [(row["case"], row["engine"]) for row in rows] == [
        (row.name, engine) for row in stage.rows for engine in ("diffusers", "exact")
    ]
    assert all(row["velocity_error"] < 1e-4 for row in rows if row["engine"] == "exact")
    assert "t2v-256" in capsys.readouterr().out

    options.engines, options.case = "exact,cached,fp8", "t2i-256-2"
    assert speed.run(options, torch.device("cpu")) == 0
    again = json.loads((tmp_path / "b.json").read_text())["rows"]
    assert len(again) == len(rows) + 2
    cached = next(row for row in again if row["engine"] == "cached")
    assert (cached["kept_steps"], cached["psnr_db"]) == (0, 99), "two steps are the first and the last"
    lossy = next(row for row in again if row["engine"] == "fp8")
    assert lossy["psnr_db"] > 10
    assert 0 < lossy["ssim"] < 1
    options.case = "dreams"
    assert speed.run(options, torch.device("cpu")) == 2


@pytest.mark.slow
def test_with_weights_on_the_host_the_exact_engine_is_timed_alone(tmp_path, monkeypatch, capsys):
    stage = Stage.build(torch.device("cpu"), with_library=False)
    monkeypatch.setattr(speed.Stage, "build", lambda *_, **__: stage)
    options = Namespace(
        engines="fp8", case="t2i-256-2", json=None, repeats=1, max_steps=None, offload=True, shape="nano"
    )
    assert speed.run(options, torch.device("cpu")) == 0
    assert stage.engine.model.generator.streams
    assert [line.split()[:2] for line in capsys.readouterr().out.splitlines()[-1:]] == [["t2i-256-2", "exact"]]


@pytest.mark.slow
def test_throughput_says_how_many_pictures_a_minute_there_are(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(throughput, "MIXES", {"256p": (("256", "1:1"),) * 2})
    assert run(monkeypatch, "--throughput", "--json", tmp_path / "b.json") == 0
    (row,) = json.loads((tmp_path / "b.json").read_text())["throughput"]
    assert row["packed"] > 0
    assert "a minute one at a time" in capsys.readouterr().out


@torch.inference_mode()
def test_diffusers_weights_are_rows_of_the_engine_s_own(engine):
    transformer = library_transformer(engine.model, engine.model.config)
    theirs = transformer.layers[1].self_attn.add_k_proj.weight
    ours = engine.model.generator.blocks[1].qkv.weight
    assert theirs.untyped_storage().data_ptr() == ours.untyped_storage().data_ptr()
    assert torch.equal(theirs, ours[128:192])
