"""Reading adapters, putting them on and taking them off."""

from __future__ import annotations

import json
import shutil

import pytest
import torch
from safetensors.torch import load_file, save_file

from engine import Engine
from engine.adapters.adapter_file import FRAMEWORK_LEAVES
from studio.errors import BadInput, BrokenCheckpoint

CLOSE = 1e-4


@pytest.fixture
def engine(engine):
    """The session's, without an adapter again afterwards."""
    yield engine
    engine.use_adapter(None)


def worst(trajectory, theirs) -> float:
    return float((trajectory.latents[0] - theirs).abs().max())


def written(folder, tensors, **beside):
    """A PEFT folder of these tensors."""
    folder.mkdir()
    save_file(
        {f"base_model.model.{name}": tensor.clone() for name, tensor in tensors.items()},
        folder / "adapter_model.safetensors",
    )
    if beside:
        (folder / "adapter_config.json").write_text(json.dumps({"peft_type": "LORA", **beside}))
    return folder


def of(adapter):
    """The tensors of an adapter that diffusers saved."""
    return load_file(adapter / "pytorch_lora_weights.safetensors")


def in_the_frameworks_words(name):
    """A tensor's name as NVIDIA's framework has it, where that differs."""
    for theirs, official in FRAMEWORK_LEAVES.items():
        if f".self_attn.{official}." in name:
            return f"net.language_model.model.{name}".replace(official, theirs)
    return name


def test_every_way_of_writing_an_adapter_is_the_same_adapter(engine, ask, run, adapter, tmp_path):
    request = ask()
    engine.use_adapter(adapter)
    expected = run(engine, request).latents[0]
    tensors = of(adapter)
    modules = {name.split(".lora_")[0] for name in tensors}
    alphas = {f"transformer.{name}.alpha": torch.tensor(8.0) for name in modules}
    loose = tmp_path / "loose.safetensors"
    save_file({f"transformer.{name}": tensor for name, tensor in tensors.items()} | alphas, loose)
    named = {name.replace(".weight", ".default.weight"): tensor for name, tensor in tensors.items()}
    older = {name.replace("lora_A", "lora_down").replace("lora_B", "lora_up"): each for name, each in tensors.items()}
    (tmp_path / "alone").mkdir()
    save_file(
        older | {name.removeprefix("transformer."): each for name, each in alphas.items()},
        tmp_path / "alone" / "a.safetensors",
    )
    framework = {in_the_frameworks_words(name): tensor for name, tensor in named.items()}
    assert any("moe_gen" in name for name in framework)
    folders = (
        written(tmp_path / "named", named, r=4, lora_alpha=8),
        written(tmp_path / "framework", framework, r=4, lora_alpha=8),
    )
    for path in (loose, tmp_path / "alone", *folders):
        engine.use_adapter(path)
        assert torch.equal(run(engine, request).latents[0], expected)


def test_adapters_are_swapped_and_a_scale_of_nothing_is_the_bare_checkpoint(engine, ask, run, adapter, train, tmp_path):
    train(seed=1, target_modules=["add_q_proj"]).save_lora_adapter(tmp_path / "other")
    request = ask()
    made = {}
    for path, scale in ((None, 1.0), (adapter, 1.0), (tmp_path / "other", 1.0), (adapter, 0.5)):
        engine.use_adapter(path, scale)
        made[path, scale] = run(engine, request).latents[0]
    for index, (key, first) in enumerate(made.items()):
        engine.use_adapter(*key)
        assert torch.equal(run(engine, request).latents[0], first)
        assert not any(torch.equal(first, other) for other in list(made.values())[index + 1 :])
    engine.use_adapter(adapter, 0.0)
    assert torch.equal(run(engine, request).latents[0], made[None, 1.0])


def test_a_prompt_that_was_read_with_one_adapter_is_read_again_for_another(engine, ask, train, tmp_path):
    train(target_modules=["to_k", "to_v"]).save_lora_adapter(tmp_path / "words")
    request = ask("a prompt of its own")
    bare = engine.begin(request).prefixes[0]
    engine.use_adapter(tmp_path / "words")
    read = engine.begin(request).prefixes[0]
    assert not torch.equal(read.keys[0], bare.keys[0])
    assert engine.begin(request).prefixes[0] is read
    engine.use_adapter(None)
    assert engine.begin(request).prefixes[0] is bare


def test_a_run_is_stepped_in_the_clothes_that_it_was_begun_in(engine, ask, adapter):
    trajectory = engine.begin(ask())
    engine.use_adapter(adapter)
    with pytest.raises(AssertionError):
        engine.step([trajectory])


def test_an_adapter_that_is_worn_already_is_not_read_again_unless_its_file_has_changed(engine, adapter, tmp_path):
    copy = shutil.copytree(adapter, tmp_path / "copy")
    file = copy / "pytorch_lora_weights.safetensors"
    engine.use_adapter(copy)
    layer = engine.model.generator.blocks[0].qkv
    engine.use_adapter(copy)
    assert engine.model.generator.blocks[0].qkv is layer
    save_file({"proj_in.lora_A.weight": torch.ones(1, 192), "proj_in.lora_B.weight": torch.ones(64, 1)}, file)
    engine.use_adapter(copy)
    assert engine.model.generator.blocks[0].qkv is not layer


def test_the_weights_that_are_counted_are_the_checkpoint_s(engine, adapter):
    before = engine.describe()
    engine.use_adapter(adapter)
    assert engine.describe() == before


def test_an_edge_shaped_checkpoint_wears_adapters_too(edge_engine, ask, run, tmp_path):
    request = ask()
    bare = run(edge_engine, request).latents[0]
    generator = torch.Generator().manual_seed(0)
    tensors = {
        "layers.0.mlp.up_proj.lora_A.weight": torch.randn(2, 64, generator=generator),
        "layers.0.mlp.up_proj.lora_B.weight": torch.randn(160, 2, generator=generator),
    }
    edge_engine.use_adapter(written(tmp_path / "edge", tensors))
    assert not torch.equal(run(edge_engine, request).latents[0], bare)
    edge_engine.use_adapter(None)
    assert torch.equal(run(edge_engine, request).latents[0], bare)


def test_merged_weights_are_the_oracle_of_the_math(engine, speck, ask, run, adapter, tmp_path):
    copy = shutil.copytree(speck, tmp_path / "merged")
    tensors = of(adapter)
    for shard in (copy / "transformer").glob("*.safetensors"):
        weights = load_file(shard)
        for name in weights:
            stem = name.removesuffix(".weight")
            if f"{stem}.lora_A.weight" in tensors:
                weights[name] += 2 * 0.5 * tensors[f"{stem}.lora_B.weight"] @ tensors[f"{stem}.lora_A.weight"]
        save_file(weights, shard, {"format": "pt"})
    request = ask(seed=1)
    engine.use_adapter(adapter, 0.5)
    assert worst(run(engine, request), run(Engine.load(copy, device="cpu"), request).latents[0]) < CLOSE


A, B = "proj_in.lora_A.weight", "proj_in.lora_B.weight"
DOWN, UP = torch.ones(2, 192), torch.ones(64, 2)


@pytest.mark.parametrize(
    ("tensors", "beside", "says"),
    [
        ({A: DOWN}, {}, "no lora_B for proj_in"),
        ({B: UP}, {}, "no lora_A for proj_in"),
        ({A: torch.ones(2, 191), B: UP}, {}, r"\[2, 191\] and \[64, 2\]; its weight is \[64, 192\]"),
        ({A: DOWN, B: torch.ones(65, 2)}, {}, r"its weight is \[64, 192\]"),
        ({A: torch.ones(192), B: UP}, {}, r"are \[192\]"),
        ({A: torch.ones(0, 192), B: torch.ones(64, 0)}, {}, r"are \[0, 192\]"),
        ({A: DOWN, B: torch.ones(64, 3)}, {}, "ranks 2 and 3"),
        ({A: DOWN, B: UP}, {"r": 4}, "ranks 2 and 2; its configuration says 4"),
        ({A: DOWN, B: UP.clone().fill_(torch.nan)}, {}, "not finite"),
        ({A: DOWN, B: UP, "proj_in.alpha": torch.ones(2)}, {}, "alpha of proj_in has 2 values"),
        ({A: DOWN, B: UP, "proj_in.lora_up.weight": UP}, {}, "lora_B.weight and .*lora_up.weight"),
        (
            {A.replace("proj_in", "proj_inn"): DOWN, B: UP},
            {},
            "adapts 'proj_inn', which is not a linear layer.*mean proj_in",
        ),
        ({"action_proj_in.fc.lora_A.weight": DOWN}, {}, "which is not a linear layer"),
        (
            {"proj_in.weight": DOWN},
            {},
            "is not a known LoRA format: it has 'base_model.model.proj_in.weight'",
        ),
        ({A: DOWN, B: UP, "proj_in.lora_magnitude_vector": UP}, {}, "is not a known LoRA format"),
        ({}, {}, "has no tensors"),
        ({A: DOWN, B: UP}, {"peft_type": "LOHA"}, "of the type LOHA"),
        ({A: DOWN, B: UP}, {"use_dora": True}, "a DoRA"),
        ({A: DOWN, B: UP}, {"bias": "all"}, "biases"),
        ({A: DOWN, B: UP}, {"fan_in_fan_out": True}, "transposed"),
        ({A: DOWN, B: UP}, {"r": "many"}, "configuration cannot be read: r is 'many'"),
        ({A: DOWN, B: UP}, {"alpha_pattern": {"(": 1}}, r"has '\(', which is not a supported expression"),
        ({A: DOWN, B: UP}, {"rank_pattern": {r"(a)\1": 4}}, "which is not a supported expression"),
    ],
)
def test_what_cannot_be_put_on_is_refused_by_name_and_what_is_worn_stays_on(
    engine, ask, run, adapter, tmp_path, tensors, beside, says
):
    engine.use_adapter(adapter)
    before = run(engine, ask()).latents[0]
    with pytest.raises(BadInput, match=f"(?s){says}") as raised:
        engine.use_adapter(written(tmp_path / "bad", tensors, **beside))
    assert raised.value.param == "adapter.name"
    assert torch.equal(run(engine, ask()).latents[0], before)


def test_files_that_are_no_adapter_are_refused_by_name(engine, adapter, tmp_path):
    text = tmp_path / "notes.safetensors"
    text.write_text("not tensors " * 100)
    short = tmp_path / "short.safetensors"
    raw = (adapter / "pytorch_lora_weights.safetensors").read_bytes()
    short.write_bytes(raw[:-100])
    empty = tmp_path / "empty"
    empty.mkdir()
    listed = written(tmp_path / "listed", {A: DOWN, B: UP}, r=2)
    (listed / "adapter_config.json").write_text("[]")
    for path, says in (
        (tmp_path / "gone", "There is no adapter at"),
        (text, "is not a safetensors file|truncated"),
        (short, "cannot be read|truncated"),
        (empty, "holds 0 safetensors files"),
        (listed, "configuration cannot be read"),
    ):
        with pytest.raises((BadInput, BrokenCheckpoint), match=says) as raised:
            engine.use_adapter(path)
        assert raised.value.param == "adapter.name"
    assert engine.adapters.active is None
