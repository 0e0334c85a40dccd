from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from engine.towers.model import OmniModel
from engine.weights import open_folder, read_weights
from engine.weights.checkpoint import ROOT_INDEX
from studio.errors import BrokenCheckpoint

CPU = torch.device("cpu")


@pytest.fixture
def copy(speck: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(speck, tmp_path / "copy"))


def change(folder: Path, name: str, edit: Callable[[dict[str, torch.Tensor]], None]) -> None:
    """Rewrite the shard that holds `name`, and the index of its folder."""
    index = json.loads((folder / ROOT_INDEX).read_text())["weight_map"]
    shard = folder / index[name]
    tensors = load_file(shard)
    edit(tensors)
    save_file(tensors, shard, metadata={"format": "pt"})


@pytest.mark.parametrize("checkpoint", ["speck", "edge"])
def test_every_key_becomes_a_parameter_or_is_named_as_asleep(checkpoint, request):
    opened = open_folder(request.getfixturevalue(checkpoint))
    with torch.device("meta"):
        expected = OmniModel(opened.config).state_dict()
    weights = read_weights(opened, CPU, torch.float32)
    assert {name: tuple(tensor.shape) for name, tensor in weights.items()} == {
        name: tuple(tensor.shape) for name, tensor in expected.items()
    }
    used = {source.name for entry in opened.entries if entry.target for source in entry.sources}
    asleep = {source.name for entry in opened.entries if not entry.target for source in entry.sources}
    assert not used & asleep
    assert used | asleep == set(opened.shards)
    assert {name.split(".")[0].split("_")[0] for name in asleep} <= {"norm", "lm", "action", "audio"}


def test_nano_s_layout_has_its_814_tensors(speck):
    config = open_folder(speck).config
    assert len(open_folder(speck).shards) == 22 * config.num_hidden_layers + 22


def test_an_unknown_key_is_named(copy):
    change(copy, "proj_in.weight", lambda tensors: tensors.update({"surprise.weight": torch.zeros(1)}))
    add_to_index(copy, "surprise.weight", "proj_in.weight")
    with pytest.raises(BrokenCheckpoint, match=r"surprise\.weight, unknown"):
        open_folder(copy)


def add_to_index(folder: Path, name: str, beside: str) -> None:
    for path in (folder / ROOT_INDEX, *(folder / "transformer").glob("*.index.json")):
        index = json.loads(path.read_text())
        index["weight_map"][name] = index["weight_map"][beside]
        path.write_text(json.dumps(index))


def test_a_missing_key_is_named(copy):
    change(copy, "norm_moe_gen.weight", lambda tensors: tensors.__delitem__("norm_moe_gen.weight"))
    with pytest.raises(BrokenCheckpoint, match=r"lacks norm_moe_gen\.weight"):
        open_folder(copy)


def test_a_shape_that_does_not_fit_the_configuration_is_named(copy):
    change(copy, "proj_out.bias", lambda tensors: tensors.update({"proj_out.bias": torch.zeros(7)}))
    with pytest.raises(BrokenCheckpoint, match=r"proj_out\.bias has the shape \(7,\), its configuration says \(192,\)"):
        open_folder(copy)


def test_a_truncated_shard_is_named(copy):
    shard = next((copy / "transformer").glob("*.safetensors"))
    shard.write_bytes(shard.read_bytes()[:-100])
    with pytest.raises(BrokenCheckpoint, match=f"{shard.name} is truncated"):
        open_folder(copy)


def test_a_shard_that_is_gone_is_named(copy):
    shard = next((copy / "transformer").glob("*.safetensors"))
    shard.unlink()
    with pytest.raises(BrokenCheckpoint, match=shard.name):
        open_folder(copy)


def test_a_root_index_that_names_a_lost_vision_tensor_is_broken(copy):
    path = copy / ROOT_INDEX
    index = json.loads(path.read_text())
    index["weight_map"]["blocks.99.lost"] = "vision_encoder/model.safetensors"
    path.write_text(json.dumps(index))
    with pytest.raises(BrokenCheckpoint, match=r"vision_encoder/blocks\.99\.lost"):
        open_folder(copy)


def test_a_vision_tensor_that_the_root_index_leaves_out_is_broken(copy):
    path = copy / ROOT_INDEX
    index = json.loads(path.read_text())
    name = next(name for name, file in index["weight_map"].items() if file.startswith("vision_encoder"))
    del index["weight_map"][name]
    path.write_text(json.dumps(index))
    with pytest.raises(BrokenCheckpoint, match="does not name"):
        open_folder(copy)


@pytest.mark.parametrize(
    ("field", "value"), [("hidden_size", None), ("hidden_act", "gelu"), ("head_dim", 31), ("attention_bias", True)]
)
def test_a_configuration_that_means_nothing_is_named(copy, field, value):
    path = copy / "transformer" / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {field: value}))
    with pytest.raises(BrokenCheckpoint, match=field):
        open_folder(copy)


def test_a_vae_with_a_tensor_missing_is_broken(copy):
    from engine import Engine

    shard = next((copy / "vae").glob("*.safetensors"))
    tensors = load_file(shard)
    tensors.pop("decoder.conv_out.bias")
    save_file(tensors, shard, metadata={"format": "pt"})
    with pytest.raises(BrokenCheckpoint, match=r"decoder\.conv_out\.bias"):
        Engine.load(copy, device="cpu")


def test_early_releases_name_their_rotary_sections_elsewhere(copy):
    path = copy / "transformer" / "config.json"
    raw = json.loads(path.read_text())
    del raw["rope_axes_dim"]
    path.write_text(json.dumps(raw))
    assert open_folder(copy).config.rope_axes_dim == (6, 5, 5)


def test_the_time_embedder_stays_in_float32(speck):
    weights = read_weights(open_folder(speck), CPU, torch.bfloat16)
    assert weights["generator.timesteps.first.weight"].dtype == torch.float32
    assert weights["generator.patch_in.weight"].dtype == torch.bfloat16


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_what_is_read_directly_is_to_the_bit_what_is_read_one_by_one(speck, monkeypatch, dtype):
    opened = open_folder(speck)
    expected = read_weights(opened, CPU, dtype)
    monkeypatch.setattr("engine.weights.checkpoint.is_read_directly", lambda device: True)
    made = read_weights(opened, CPU, dtype)
    assert made.keys() == expected.keys()
    assert all(torch.equal(made[name], tensor) for name, tensor in expected.items())
