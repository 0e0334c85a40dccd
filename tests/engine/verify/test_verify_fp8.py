"""A checkpoint that is released in FP8 is accounted for, with the scales beside its weights."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import pytest
import torch

from engine.verify import __main__ as program
from engine.verify import account_for
from engine.weights import open_folder
from fp8_checkpoint import OTHER_RANGES, change_quantization, change_tensors, transformer, write_in_fp8
from studio.errors import BrokenCheckpoint

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


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.uint8])
def test_ranges_of_other_quantizers_are_ignored_as_the_loader_does(eight, dtype):
    change_tensors(eight, lambda tensors: tensors.update({name: torch.ones((), dtype=dtype) for name in OTHER_RANGES}))
    assert open_folder(eight).fp8
    account = account_for(eight)
    assert account.whole
    states = {entry.name: entry.state for entry in account.entries if entry.part == "transformer"}
    assert {states[name] for name in OTHER_RANGES} == {"dropped"}


@pytest.mark.parametrize(
    "name",
    [
        "layers.0.self_attn.to_q.weight_scale_2",
        "layers.0.self_attn.to_q.pre_quant_scale",
        "layers.0.self_attn.to_q.input_quantizer._pre_quant_scale",
        "layers.0.self_attn.k_bmm_quantizer._bias_value",
        "layers.0.mlp.k_bmm_quantizer._amax",
        "layers.9.self_attn.k_bmm_quantizer._amax",
        "proj_in.output_quantizer._amax",
    ],
)
def test_what_the_loader_refuses_by_name_is_a_fault_of_that_name(eight, name):
    change_tensors(eight, lambda tensors: tensors.update({name: torch.ones(())}))
    assert faults(eight) == [(name, "unknown")]
    with pytest.raises(BrokenCheckpoint, match=f"{name}, unknown") as refused:
        open_folder(eight)
    assert "bfloat16 revision" in refused.value.hint


def test_ranges_of_quantizers_in_a_checkpoint_without_fp8_are_unknown(speck, tmp_path):
    folder = write_in_fp8(speck, tmp_path / "nothing", ignored=["*"])
    change_tensors(folder, lambda tensors: tensors.update({OTHER_RANGES[-1]: torch.ones(())}))
    assert faults(folder) == [(OTHER_RANGES[-1], "unknown")]


def leave_out(index: Path, *names: str) -> None:
    told = json.loads(index.read_text())
    told["weight_map"] = {name: file for name, file in told["weight_map"].items() if name not in names}
    index.write_text(json.dumps(told))


def test_an_index_may_leave_out_what_lies_beside_a_weight_and_not_the_weight(eight):
    index, weight = eight / "model.safetensors.index.json", "layers.1.self_attn.to_q.weight"
    leave_out(index, SCALE, "layers.1.self_attn.to_q.input_quantizer._amax")
    assert open_folder(eight).fp8
    assert account_for(eight).whole
    leave_out(index, weight)
    assert [problem.split(" of ")[0] for problem in account_for(eight).problems] == [
        f"{index.name} does not name {weight}"
    ]
    with pytest.raises(BrokenCheckpoint, match=f"does not name transformer/{weight}"):
        open_folder(eight)


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
