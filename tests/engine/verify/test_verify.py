"""Every tensor of a folder is accounted for, and whatever is wrong with it is named."""

from __future__ import annotations

import json
import shutil
import sys
from collections import Counter
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import Cosmos3OmniForConditionalGeneration
from transformers.models.cosmos3_edge.configuration_cosmos3_edge import Cosmos3EdgeConfig

from engine import Engine
from engine.verify import __main__ as program
from engine.verify import account_for
from engine.verify.expected import vision_encoder
from engine.weights.checkpoint import open_folder
from studio.errors import BrokenCheckpoint, NotACheckpoint


@pytest.fixture
def copy(speck, tmp_path) -> Path:
    return Path(shutil.copytree(speck, tmp_path / "copy"))


def shard_of(folder: Path, name: str, part: str = "transformer") -> Path:
    return next(shard for shard in sorted((folder / part).glob("*.safetensors")) if name in load_file(shard))


def change(folder: Path, name: str, tensor: torch.Tensor | None, part: str = "transformer") -> None:
    """Put another tensor in a tensor's place, or take it away."""
    shard = shard_of(folder, name, part)
    tensors = load_file(shard)
    if tensor is None:
        del tensors[name]
    else:
        tensors[name] = tensor
    save_file(tensors, shard, {"format": "pt"})


def faults(folder: Path) -> list[tuple[str, str, str]]:
    return [(entry.part, entry.name, entry.state) for entry in account_for(folder).faults]


@pytest.mark.parametrize("shape", ["speck", "edge"])
def test_every_tensor_of_a_whole_checkpoint_is_accounted_for(shape, request):
    folder = request.getfixturevalue(shape)
    account = account_for(folder)
    assert account.whole
    stored = Counter((shard.parent.name, name) for shard in folder.glob("*/*.safetensors") for name in load_file(shard))
    assert Counter((entry.part, entry.name) for entry in account.entries) == stored
    uses = {entry.use for entry in account.entries if entry.state == "used"}
    assert uses == {"reasoner", "generator", "vision encoder", "vae", "sound"}
    assert {entry.part for entry in account.entries if entry.state == "dropped"} == {"sound_tokenizer"}


def test_transformers_reads_the_vision_encoder_by_the_names_that_are_expected(speck):
    _, info = Cosmos3OmniForConditionalGeneration.from_pretrained(speck, output_loading_info=True)
    assert not info["missing_keys"]
    assert len(vision_encoder(speck)) == len(load_file(speck / "vision_encoder" / "model.safetensors"))


def test_edge_s_own_vision_encoder_is_expected_below_model(copy):
    small = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = Cosmos3EdgeConfig(vision_config=small)
    (copy / "config.json").write_text(json.dumps(config.to_dict()))
    names = vision_encoder(copy)
    assert {name.split(".")[1] for name in names} == {"visual", "projector"}
    assert all(name.startswith("model.") for name in names)
    assert ("vision_encoder", "blocks.0.attn.proj.bias", "unknown") in faults(copy)


@pytest.mark.parametrize(
    ("part", "name"),
    [
        ("transformer", "layers.1.self_attn.to_q.weight"),
        ("vae", "decoder.conv_out.bias"),
        ("vision_encoder", "blocks.0.attn.proj.bias"),
    ],
)
def test_a_tensor_that_is_missing_unknown_or_of_another_shape_is_named(copy, part, name):
    (copy / "model.safetensors.index.json").unlink()
    (copy / "transformer" / "diffusion_pytorch_model.safetensors.index.json").unlink()
    was = load_file(shard_of(copy, name, part))[name]
    change(copy, name, torch.zeros(3, 5), part)
    assert faults(copy) == [(part, name, "wrong shape")]
    change(copy, name, was.to(torch.float8_e4m3fn), part)
    assert faults(copy) == [(part, name, "wrong dtype")]
    change(copy, name, None, part)
    assert faults(copy) == [(part, name, "missing")]
    extra = copy / part / "extra.safetensors"
    save_file({name: was, "left.over": was.clone()}, extra)
    assert faults(copy) == [(part, "left.over", "unknown")]


def test_a_tensor_that_two_shards_hold_is_named(copy):
    name = "norm_moe_gen.weight"
    save_file({name: load_file(shard_of(copy, name))[name]}, copy / "transformer" / "zz.safetensors")
    assert faults(copy) == [("transformer", name, "twice")]
    # The loader reads what the index names; without an index it minds too.
    (copy / "transformer" / "diffusion_pytorch_model.safetensors.index.json").unlink()
    with pytest.raises(BrokenCheckpoint, match=name):
        open_folder(copy)


def test_the_sound_encoder_may_be_missing_and_its_decoder_may_not(copy):
    shard = next((copy / "sound_tokenizer").glob("*.safetensors"))
    tensors = load_file(shard)
    save_file({name: tensor for name, tensor in tensors.items() if name.startswith("decoder.")}, shard)
    assert account_for(copy).whole
    save_file({name: tensor for name, tensor in tensors.items() if name.startswith("encoder.")}, shard)
    assert {state for _, _, state in faults(copy)} == {"missing"}


def test_parts_that_a_checkpoint_may_lack_are_not_missed(copy):
    shutil.rmtree(copy / "vision_encoder")
    shutil.rmtree(copy / "sound_tokenizer")
    (copy / "model.safetensors.index.json").unlink()
    assert account_for(copy).whole
    for shard in (copy / "vae").glob("*.safetensors"):
        shard.unlink()
    assert {part for part, _, _ in faults(copy)} == {"vae"}


def test_weights_in_a_folder_of_their_own_are_unknown(copy):
    (copy / "upsampler").mkdir()
    save_file({"a": torch.zeros(1)}, copy / "upsampler" / "model.safetensors")
    save_file({"b": torch.zeros(1)}, copy / "model.safetensors")
    assert faults(copy) == [(".", "b", "unknown"), ("upsampler", "a", "unknown")]


@pytest.mark.parametrize(("kept", "says"), [(-1, "is truncated"), (3, "is truncated: 3 bytes do not hold its header")])
def test_a_shard_that_is_cut_short_is_named(copy, kept, says):
    shard = copy / "vae" / "diffusion_pytorch_model.safetensors"
    shard.write_bytes(shard.read_bytes()[:kept])
    problems = account_for(copy).problems
    assert any(f"{shard} {says}" in problem for problem in problems)
    assert len(problems) == 1


def test_an_index_that_disagrees_with_the_shards_is_named(copy):
    index = copy / "transformer" / "diffusion_pytorch_model.safetensors.index.json"
    (copy / "model.safetensors.index.json").unlink()
    right = json.loads(index.read_text())["weight_map"]
    first, *others = sorted(right)
    elsewhere = next(file for file in sorted(set(right.values())) if file != right[first])
    for weight_map, says in (
        (right | {first: "gone.safetensors"}, "names transformer/gone.safetensors, which was not found"),
        (right | {first: elsewhere}, f"says that {first} is in transformer/{elsewhere}; it is not"),
        (right | {"ghost": right[first]}, "says that ghost is in"),
        ({name: right[name] for name in others}, f"does not name {first} of transformer/{right[first]}"),
        ([], "has no weight_map"),
        ({first: 3}, "has no weight_map"),
    ):
        index.write_text(json.dumps({"weight_map": weight_map}))
        assert any(says in problem for problem in account_for(copy).problems), says
    index.write_text("{")
    assert any("cannot be read as JSON" in problem for problem in account_for(copy).problems)


def test_the_index_of_the_reasoner_is_held_against_both_its_folders(copy):
    index = copy / "model.safetensors.index.json"
    right = json.loads(index.read_text())["weight_map"]
    index.write_text(
        json.dumps({"weight_map": {name: file for name, file in right.items() if name != "pos_embed.weight"}})
    )
    (problem,) = account_for(copy).problems
    assert problem == "model.safetensors.index.json does not name pos_embed.weight of vision_encoder/model.safetensors."


def test_a_configuration_that_describes_no_model_is_named(copy):
    (copy / "vae" / "config.json").write_text('{"base_dim": "wide"}')
    (copy / "transformer" / "config.json").write_text("{}")
    problems = account_for(copy).problems
    assert any(problem.startswith("vae: ") for problem in problems)
    assert any(problem.startswith("transformer: ") for problem in problems)


def test_a_header_with_entries_that_are_none_is_survived(copy):
    shard = copy / "vae" / "diffusion_pytorch_model.safetensors"
    header = json.dumps({"a": 1, "b": {"shape": "x", "data_offsets": [0, 0]}, "c": {"data_offsets": [0]}}).encode()
    shard.write_bytes(len(header).to_bytes(8, "little") + header)
    assert any("header has no offsets" in problem for problem in account_for(copy).problems)


def verify(monkeypatch, *words) -> int:
    monkeypatch.setattr(sys, "argv", ["verify", *map(str, words)])
    return program.main()


def test_the_program_prints_a_table_and_leaves_with_nothing(speck, monkeypatch, capsys):
    assert verify(monkeypatch, speck, "--values") == 0
    out = capsys.readouterr().out
    assert "every one accounted for" in out
    assert [line.split()[0] for line in out.splitlines()[1:-2]] == [
        "sound_tokenizer",
        "sound_tokenizer",
        "transformer",
        "transformer",
        "vae",
        "vision_encoder",
    ]


def test_values_that_are_no_number_are_found_only_when_they_are_read(copy, monkeypatch, capsys):
    name = "layers.0.mlp.up_proj.weight"
    weight = load_file(shard_of(copy, name))[name]
    weight[0, :2] = torch.tensor([torch.nan, torch.inf])
    change(copy, name, weight)
    assert verify(monkeypatch, copy) == 0
    assert verify(monkeypatch, copy, "--values", "--json") == 1
    said = json.loads(capsys.readouterr().out.split("accounted for.\n")[-1])
    (wrong,) = [tensor for tensor in said["tensors"] if tensor["state"] == "not finite"]
    assert (wrong["name"], wrong["detail"]) == (name, f"2 of {weight.numel():,} values are not finite")
    assert not said["whole"]


def test_a_shard_whose_values_cannot_be_read_does_not_hide_the_others(copy, monkeypatch, capsys):
    shard = copy / "vae" / "diffusion_pytorch_model.safetensors"
    shard.write_bytes(shard.read_bytes()[:-1])
    assert verify(monkeypatch, copy, "--values") == 1
    assert "its values cannot be read" in capsys.readouterr().out


def test_what_is_broken_is_named_and_many_faults_are_counted(copy, monkeypatch, capsys):
    for shard in (copy / "transformer").glob("*.safetensors"):
        shard.unlink()
    assert verify(monkeypatch, copy) == 1
    out = capsys.readouterr().out
    assert "transformer: " in out or "names transformer/" in out
    assert "more\n" in out


def test_a_folder_that_is_no_checkpoint_is_one_line(tmp_path, monkeypatch, capsys):
    assert verify(monkeypatch, tmp_path) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("orrery: ")
    assert captured.err.count("\n") == 1
    with pytest.raises(NotACheckpoint):
        account_for(tmp_path)


def test_what_the_account_passes_is_what_the_engine_loads(copy):
    assert account_for(copy).whole
    assert Engine.load(copy, device="cpu")
    change(copy, "proj_in.bias", None)
    assert not account_for(copy).whole
    with pytest.raises(BrokenCheckpoint):
        Engine.load(copy, device="cpu")
