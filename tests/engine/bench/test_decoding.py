from __future__ import annotations

import json
import sys

import torch

from engine.bench import decoding
from engine.bench.stage import build_random
from engine.weights.key_map import key_map


def test_the_words_of_a_tiny_model_are_timed_on_a_cpu(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(decoding, "CASES", decoding.CASES[1:3])
    words = ["decoding", "--device", "cpu", "--prompt", "16", "--tokens", "8", "--json", str(tmp_path / "out.json")]
    monkeypatch.setattr(sys, "argv", words)
    assert decoding.main() == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "CPU, a tiny model"
    assert [line.split("  ")[0] for line in out[2:-1]] == ["drawn words", "likeliest words, 2 together"]
    report = json.loads((tmp_path / "out.json").read_text())
    cases = report["cases"]
    assert 0 < report["schema"]["passes"] < report["schema"]["tokens"]
    assert all(case["median"] > 0 and case["floor"] is None for case in cases)


def test_a_device_that_is_not_there_ends_it_with_one_line(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["decoding", "--device", "tape"])
    assert decoding.main() == 2
    assert "'tape'" in capsys.readouterr().err


def test_a_random_model_has_every_parameter_of_its_shape_and_the_timesteps_in_float32():
    model = build_random(decoding.TINY, torch.device("cpu"), torch.bfloat16)
    wanted = {entry.target for entry in key_map(decoding.TINY) if entry.target}
    assert set(model.state_dict()) == wanted
    assert model.dtype == torch.bfloat16
    assert model.generator.timesteps.first.weight.dtype == torch.float32
    assert bool((model.reasoner.norm.weight == 1).all())
    assert all(bool(weight.isfinite().all()) for weight in model.parameters())
