"""Checkpoints that are released in FP8: what is read of them, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor

from engine.weights import PreciseSteps, open_folder, read_weights
from fp8_checkpoint import OTHER_RANGES, POLICY, Tensors, change_quantization, change_tensors, transformer, write_in_fp8
from studio.errors import BrokenCheckpoint, NotACheckpoint

CPU = torch.device("cpu")

GENERATOR_QKV = [f"layers.1.self_attn.{name}_proj.weight" for name in ("add_q", "add_k", "add_v")]
REASONER_QKV = [f"layers.1.self_attn.{name}.weight" for name in ("to_q", "to_k", "to_v")]
SCALE = "layers.1.self_attn.to_q.weight_scale"


@pytest.fixture
def eight(speck: Path, tmp_path: Path) -> Path:
    return write_in_fp8(speck, tmp_path / "eight")


def product(stored: Tensors, name: str) -> Tensor:
    return stored[name].float() * stored[f"{name.removesuffix('weight')}weight_scale"].reshape(-1, 1)


@pytest.mark.parametrize("shape", ["speck", "edge"])
@pytest.mark.parametrize("per_output", [False, True])
def test_the_generators_matrices_come_as_they_are_stored_and_the_reasoners_widened(
    shape, per_output, request, tmp_path
):
    folder = write_in_fp8(request.getfixturevalue(shape), tmp_path / "eight", per_output=per_output)
    stored = transformer(folder)
    weights = read_weights(open_folder(folder), CPU, torch.bfloat16, keep_fp8=True)

    qkv, scale = weights["generator.blocks.1.qkv.weight"], weights["generator.blocks.1.qkv.scale"]
    assert qkv.dtype == torch.float8_e4m3fn
    assert torch.equal(qkv.float(), torch.cat([stored[name].float() for name in GENERATOR_QKV]))
    assert (scale.dtype, scale.shape) == (torch.float32, (len(qkv), 1))
    # Each of the three with its own scales.
    assert torch.equal(qkv.float() * scale, torch.cat([product(stored, name) for name in GENERATOR_QKV]))
    assert torch.equal(
        weights["reasoner.blocks.1.qkv.weight"], torch.cat([product(stored, name) for name in REASONER_QKV]).bfloat16()
    )
    in_fp8 = {name for name, tensor in weights.items() if tensor.dtype == torch.float8_e4m3fn}
    assert len(in_fp8) == 4 * open_folder(folder).config.num_hidden_layers
    assert all(name.startswith("generator.blocks.") for name in in_fp8)


def test_widened_weights_are_rounded_once(eight):
    stored = transformer(eight)
    for dtype in (torch.float32, torch.bfloat16):
        weights = read_weights(open_folder(eight), CPU, dtype)
        assert not any(name.endswith(".scale") for name in weights)
        assert torch.equal(
            weights["generator.blocks.1.qkv.weight"],
            torch.cat([product(stored, name) for name in GENERATOR_QKV]).to(dtype),
        )


def test_what_is_on_the_ignore_list_stays_as_it_was(speck, tmp_path):
    ignored = ["layers.0.mlp_moe_gen.down_proj", "layers.1.self_attn.add_v_proj"]
    folder = write_in_fp8(speck, tmp_path / "eight", ignored=ignored)
    stored = transformer(folder)
    weights = read_weights(open_folder(folder), CPU, torch.bfloat16, keep_fp8=True)

    down = weights["generator.blocks.0.feed_forward.down.weight"]
    assert torch.equal(down, stored["layers.0.mlp_moe_gen.down_proj.weight"])
    # A matrix of which a third is in bfloat16 cannot be multiplied in FP8: all of it is widened.
    qkv = weights["generator.blocks.1.qkv.weight"]
    assert qkv.dtype == torch.bfloat16
    assert "generator.blocks.1.qkv.scale" not in weights
    rows = [product(stored, GENERATOR_QKV[0]), product(stored, GENERATOR_QKV[1]), stored[GENERATOR_QKV[2]].float()]
    assert torch.equal(qkv, torch.cat(rows).bfloat16())


def test_what_is_not_in_fp8_decides_the_dtype(eight):
    opened = open_folder(eight)
    assert opened.dtype == torch.bfloat16
    assert len(opened.fp8) == 14 * opened.config.num_hidden_layers


@pytest.mark.parametrize("beside", [".input_scale", "_quantizer._amax", "_quantizer._scale"])
def test_only_the_scales_of_weights_are_needed(eight, beside):
    def take_out(tensors: Tensors) -> None:
        for name in [name for name in tensors if name.endswith(beside)]:
            del tensors[name]

    change_tensors(eight, take_out)
    assert open_folder(eight).fp8


@pytest.mark.parametrize("keep_fp8", [False, True])
def test_ranges_of_what_is_not_rounded_here_change_no_weight(eight, keep_fp8):
    before = read_weights(open_folder(eight), CPU, torch.bfloat16, keep_fp8=keep_fp8)
    change_tensors(eight, lambda tensors: tensors.update({name: torch.tensor(3.0) for name in OTHER_RANGES}))
    after = read_weights(open_folder(eight), CPU, torch.bfloat16, keep_fp8=keep_fp8)
    assert before.keys() == after.keys()
    assert all(torch.equal(after[name].float(), tensor.float()) for name, tensor in before.items())


@pytest.mark.parametrize(
    "said",
    [
        {"quant_algo": "NVFP4"},
        {"quant_algo": "INT8"},
        {"quant_algo": "FP8_PB_WO"},
        {"quant_algo": None},
        {"quant_method": "bitsandbytes"},
    ],
)
def test_any_other_way_to_quantise_is_named_and_refused_with_what_to_use(eight, said):
    change_quantization(eight, **said)
    with pytest.raises(NotACheckpoint) as refused:
        open_folder(eight)
    assert all(repr(value) in refused.value.message for value in said.values())
    assert "bfloat16 revision" in refused.value.hint


def without(name: str) -> Callable[[Tensors], object]:
    return lambda tensors: tensors.pop(name)


def putting(name: str, tensor: Tensor) -> Callable[[Tensors], object]:
    return lambda tensors: tensors.update({name: tensor})


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (without(SCALE), "is stored in FP8 without layers.1.self_attn.to_q.weight_scale"),
        (putting(SCALE, torch.ones(2, 2)), r"weight_scale of the shape \(2, 2\) is neither"),
        (putting("norm.weight", torch.ones(64).to(torch.float8_e4m3fn)), "norm.weight is stored in FP8 without"),
        (putting("layers.1.mlp.up_proj.pre_quant_scale", torch.ones(64)), "pre_quant_scale, unknown"),
        (
            putting("layers.1.self_attn.to_q.input_quantizer._pre_quant_scale", torch.ones(64)),
            "_pre_quant_scale, unknown",
        ),
        (putting("proj_in.weight_scale", torch.ones(())), "proj_in.weight_scale, unknown"),
    ],
)
def test_weights_without_their_scales_and_scales_that_change_the_sum_are_refused(eight, edit, said):
    change_tensors(eight, edit)
    with pytest.raises(BrokenCheckpoint, match=said):
        open_folder(eight)


@pytest.mark.parametrize("scale", [0.0, -1.0, float("nan"), float("inf")])
def test_a_scale_that_is_no_positive_number_is_refused_when_it_is_read(eight, scale):
    change_tensors(eight, putting(SCALE, torch.tensor(scale)))
    with pytest.raises(BrokenCheckpoint, match=f"{SCALE} is not a positive number"):
        read_weights(open_folder(eight), CPU, torch.float32)


def test_a_configuration_and_weights_that_disagree_are_refused(eight, speck, tmp_path):
    path = eight / "transformer" / "config.json"
    config = json.loads(path.read_text())
    told = config.pop("quantization_config")
    path.write_text(json.dumps(config))
    with pytest.raises(BrokenCheckpoint, match="says nothing of FP8"):
        open_folder(eight)

    nothing = write_in_fp8(speck, tmp_path / "nothing", ignored=["*"])
    with pytest.raises(BrokenCheckpoint, match="no tensor is stored in it"):
        open_folder(nothing)
    path.write_text(json.dumps(config | {"quantization_config": told}))
    assert open_folder(eight).fp8


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (None, PreciseSteps(0, 0)),
        (POLICY, PreciseSteps(3, 3, one_in=1)),
        (POLICY | {"overlap": "native"}, PreciseSteps(3, 3, one_in=1, where_both=False)),
        (POLICY | {"last_steps": {"count": 3, "mode": "native"}}, PreciseSteps(3, 0, one_in=1)),
    ],
)
def test_the_recipe_is_the_checkpoints_own(speck, tmp_path, policy, expected):
    assert open_folder(write_in_fp8(speck, tmp_path / "eight", policy=policy)).precise_steps == expected


def test_an_ordinary_checkpoint_has_no_recipe(speck):
    opened = open_folder(speck)
    assert opened.precise_steps is None
    assert not opened.fp8


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("schema_version", 2),
        ("type", "every_other"),
        ("index_space", "timestep"),
        ("scope", ["transformer", "vae"]),
        ("default_mode", "a16"),
        ("first_steps", {"count": -1, "mode": "a16"}),
        ("last_steps", {"count": 3, "mode": "a4"}),
        ("reasoner", None),
    ],
)
def test_a_recipe_that_says_something_unknown_is_named(eight, field, value):
    change_quantization(eight, runtime={"diffusion_step_policy": POLICY | {field: value}})
    with pytest.raises(BrokenCheckpoint, match=rf"diffusion_step_policy\.{field}"):
        open_folder(eight)
    change_quantization(eight, runtime={"diffusion_step_policy": {n: v for n, v in POLICY.items() if n != field}})
    with pytest.raises(BrokenCheckpoint, match=rf"diffusion_step_policy\.{field}"):
        open_folder(eight)


@pytest.mark.parametrize("runtime", [3, {"diffusion_step_policy": "first"}])
def test_a_recipe_that_is_no_object_is_named(eight, runtime):
    change_quantization(eight, runtime=runtime)
    with pytest.raises(BrokenCheckpoint, match="is not a JSON object"):
        open_folder(eight)


def held(steps: PreciseSteps, num_steps: int) -> str:
    return "".join("P" if steps.holds(index, num_steps) else "." for index in range(num_steps))


def test_which_steps_are_precise():
    assert held(PreciseSteps(), 4) == "...."
    assert held(PreciseSteps(), 12) == "P..........P"
    assert held(PreciseSteps(), 35) == "PPP" + "." * 29 + "PPP"
    released = PreciseSteps(3, 3, one_in=1)
    assert held(released, 35) == "PPP" + "." * 29 + "PPP"
    assert held(released, 4) == "PPPP"
    assert held(released, 1) == "."
    assert held(PreciseSteps(2, 1, one_in=1), 5) == "PP..P"
    assert held(PreciseSteps(3, 3, one_in=1, where_both=False), 4) == "P..P"
    assert held(PreciseSteps(0, 0), 12) == "." * 12
