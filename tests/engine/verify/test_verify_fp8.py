"""A checkpoint that is released in FP8 is accounted for, with the scales beside its weights."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest
import torch

from engine.verify import __main__ as program
from engine.verify import account_for
from fp8_checkpoint import change_quantization, change_tensors, transformer, write_in_fp8

SCALE = "layers.1.self_attn.to_q.weight_scale"


@pytest.fixture
def eight(speck: Path, tmp_path: Path) -> Path:
    return write_in_fp8(speck, tmp_path / "eight")


def faults(folder: Path) -> list[tuple[str, str]]:
    return [(entry.name, entry.state) for entry in account_for(folder).faults]


@pytest.mark.parametrize("per_output", [False, True])
def test_every_scale_is_read_or_known(speck, tmp_path, per_output):
    folder = write_in_fp8(speck, tmp_path / "eight", per_output=per_output)
    account = account_for(folder)
    assert account.whole
    stored = transformer(folder)
    own = [entry for entry in account.entries if entry.part == "transformer"]
    assert {entry.name for entry in own} == stored.keys()
    assert sum(entry.size_bytes for entry in own) == sum(tensor.nbytes for tensor in stored.values())
    states = Counter((entry.name.rpartition(".")[2], entry.state) for entry in own if entry.dtype == "F32")
    assert states["weight_scale", "used"] == states["input_scale", "dropped"] == 14 * 4
    uses = {entry.use for entry in own if entry.dtype == "F8_E4M3"}
    assert uses == {"reasoner", "generator"}


def test_a_scale_that_is_missing_or_of_another_shape_is_named(eight):
    change_tensors(eight, lambda tensors: tensors.update({SCALE: torch.ones(3)}))
    assert faults(eight) == [(SCALE, "wrong shape")]
    change_tensors(eight, lambda tensors: tensors.pop(SCALE))
    assert faults(eight) == [(SCALE, "missing")]


def test_fp8_where_no_scale_can_be_is_the_wrong_dtype(eight):
    name = "norm.weight"
    change_tensors(eight, lambda tensors: tensors.update({name: tensors[name].to(torch.float8_e4m3fn)}))
    assert faults(eight) == [(name, "wrong dtype")]


def test_a_configuration_that_says_fp8_of_weights_that_are_not_is_a_problem(speck, tmp_path):
    account = account_for(write_in_fp8(speck, tmp_path / "nothing", ignored=["*"]))
    assert not account.faults
    assert len(account.problems) == 1
    assert "no tensor is stored in it" in account.problems[0]


def test_another_way_to_quantise_is_said(eight, monkeypatch, capsys):
    change_quantization(eight, quant_algo="NVFP4")
    monkeypatch.setattr(sys, "argv", ["verify", str(eight)])
    assert program.main() == program.NO_CHECKPOINT
    assert "'NVFP4'" in capsys.readouterr().err
