"""A checkpoint that is released in FP8, computed: against the weights that it stands for, and by its own recipe."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from engine import Engine
from engine.towers import Fp8Linear, Pack
from fp8_checkpoint import POLICY, transformer, write_in_fp8, write_widened
from studio.requests import GenerateImage

NUM_STEPS = 6

OWN = POLICY | {"first_steps": {"count": 1, "mode": "a16"}, "last_steps": {"count": 2, "mode": "a16"}}

IGNORED = ("layers.2.mlp_moe_gen.up_proj", "layers.3.self_attn.to_add_out")


@pytest.fixture(scope="module")
def folder(speck: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_in_fp8(speck, tmp_path_factory.mktemp("released") / "eight", policy=OWN, ignored=IGNORED)


@pytest.fixture(scope="module")
def eight(folder: Path) -> Engine:
    return Engine.load(folder, device="cpu", precision="fp8")


@pytest.fixture(scope="module")
def widened(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_widened(folder, tmp_path_factory.mktemp("released") / "widened", torch.bfloat16)


def latents(engine: Engine, num_steps: int = NUM_STEPS, guidance_scale: float = 4.0) -> Tensor:
    sampling = {"num_inference_steps": num_steps, "guidance_scale": guidance_scale, "seed": 3}
    trajectory = engine.begin(GenerateImage.model_validate({"prompt": "x", "resolution": "256", "sampling": sampling}))
    while not trajectory.done:
        engine.step([trajectory])
    return trajectory.latents[0]


def relative(one: Tensor, other: Tensor) -> float:
    return float((one - other).norm() / other.norm())


def test_the_stored_bits_are_multiplied_and_what_is_ignored_is_not_rounded(folder, eight):
    stored = transformer(folder)
    blocks = eight.model.generator.blocks
    layers = {name: layer for name, layer in blocks.named_modules() if isinstance(layer, nn.Linear | Fp8Linear)}
    ordinary = {name for name, layer in layers.items() if isinstance(layer, nn.Linear)}
    # Gate and up are one matrix.
    assert ordinary == {"2.feed_forward.up", "3.out"}
    assert torch.equal(
        layers["0.feed_forward.down"].weight.view(torch.uint8),
        stored["layers.0.mlp_moe_gen.down_proj.weight"].view(torch.uint8),
    )
    assert torch.equal(layers["3.out"].weight, stored["layers.3.self_attn.to_add_out.weight"].float())
    reasoner = eight.model.reasoner.modules()
    assert not any(isinstance(layer, Fp8Linear) for layer in reasoner)


def test_a_picture_is_near_that_of_the_weights_that_are_meant_and_takes_less_memory(speck, folder, eight, tmp_path):
    meant = Engine.load(write_widened(folder, tmp_path / "meant", torch.float32), device="cpu")
    # Inputs alone are rounded; the weights are what they are in both. Guidance would multiply the rounding.
    assert 0 < relative(latents(eight, guidance_scale=1.0), latents(meant, guidance_scale=1.0)) < 0.05
    assert eight.describe().startswith("fp8 · ")
    own, whole = (sum(p.nbytes for p in one.model.generator.blocks.parameters()) for one in (eight, meant))
    assert own < whole / 2


def test_exact_is_to_the_bit_the_ordinary_checkpoint_of_the_widened_weights(folder, widened):
    released, ordinary = (Engine.load(one, device="cpu", dtype=torch.bfloat16) for one in (folder, widened))
    assert torch.equal(latents(released), latents(ordinary))
    assert released.describe() == ordinary.describe()
    assert released.describe().startswith("bfloat16 · ")


def test_precise_steps_alone_round_nothing_but_the_weights(speck, widened, tmp_path):
    always = OWN | {"first_steps": {"count": NUM_STEPS, "mode": "a16"}}
    folder = write_in_fp8(speck, tmp_path / "always", policy=always, ignored=IGNORED)
    meant = write_widened(folder, tmp_path / "meant", torch.float32)
    precise = latents(Engine.load(folder, device="cpu", precision="fp8"))
    assert relative(precise, latents(Engine.load(meant, device="cpu"))) < 0.01


@pytest.mark.parametrize(("num_steps", "expected"), [(NUM_STEPS, "P...PP"), (2, "PP"), (1, ".")])
def test_the_first_and_last_steps_are_those_of_the_checkpoints_recipe(eight, num_steps, expected):
    said: list[str] = []

    def note(_: nn.Module, given: tuple[Tensor, Pack]) -> None:
        said.append("P" if all(given[1].precise) else ".")

    hook = eight.model.generator.register_forward_pre_hook(note)
    try:
        latents(eight, num_steps)
    finally:
        hook.remove()
    assert "".join(said) == expected


def test_a_checkpoint_without_a_recipe_has_no_precise_steps_however_long_the_run(speck, tmp_path):
    engine = Engine.load(write_in_fp8(speck, tmp_path / "eight", policy=None), device="cpu", precision="fp8")
    assert not any(engine.model.generator.precise_steps.holds(index, 35) for index in range(35))


def test_blocks_on_the_host_compute_what_resident_ones_do(folder, eight):
    streamed = Engine.load(folder, device="cpu", precision="fp8", offload=True)
    assert torch.equal(latents(streamed, 2), latents(eight, 2))
