from __future__ import annotations

import pytest
import torch
from torch import nn

from engine import Engine
from engine.towers.fp8_linear import WIDENED_FROM, Fp8Linear, gate_rows, quantised, set_precise
from studio.requests import GenerateImage


def relative(one: torch.Tensor, other: torch.Tensor) -> float:
    return float((one - other).norm() / other.norm())


def test_a_rounded_row_is_within_an_eighth_of_a_power_of_two_of_each_value_and_keeps_its_largest():
    x = torch.randn(16, 256) * torch.logspace(-6, 6, 16)[:, None]
    rounded, scale = quantised(x)
    back = rounded.float() * scale
    assert rounded.dtype == torch.float8_e4m3fn
    assert float(((back - x).abs() / x.abs().amax(1, keepdim=True)).max()) < 2**-4
    assert torch.allclose(back.abs().amax(1), x.abs().amax(1), rtol=1e-6)


def test_a_row_of_zeros_stays_zeros():
    rounded, scale = quantised(torch.zeros(2, 64))
    assert torch.equal(rounded.float() * scale, torch.zeros(2, 64))


def test_a_layer_in_fp8_is_within_five_percent_and_its_precise_form_rounds_the_weight_alone():
    layer = nn.Linear(512, 256, bias=False).requires_grad_(False)
    x = torch.randn(64, 512)
    eight = Fp8Linear.of(layer)
    rough = relative(eight(x), layer(x))
    eight.precise = True
    weight = eight.weight.float() * eight.scale
    assert relative(eight(x), x @ weight.T) < 2**-8
    assert relative(eight(x), layer(x)) < rough < 0.05


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_precise_layer_comes_to_the_same_whether_many_rows_are_multiplied_or_few(dtype):
    layer = nn.Linear(512, 256, bias=False).requires_grad_(False).to(dtype)
    x = torch.randn(WIDENED_FROM, 512, dtype=dtype)
    eight = Fp8Linear.of(layer)
    eight.precise = True
    widened, in_two_terms = eight(x), torch.cat([eight(part) for part in x.split(WIDENED_FROM // 2)])
    assert widened.dtype == dtype
    assert relative(widened.float(), x.float() @ (eight.weight.float() * eight.scale).T) < 2**-8
    assert relative(widened.float(), in_two_terms.float()) < 2**-7


def test_a_gate_s_rows_are_those_of_the_gate_rounded():
    inner = torch.randn(8, 2 * 96)
    gate, up = inner.chunk(2, -1)
    rounded, scale = gate_rows(inner)
    assert relative(rounded.float() * scale, torch.nn.functional.silu(gate) * up) < 0.04


@pytest.fixture(scope="module")
def eight(speck) -> Engine:
    return Engine.load(speck, device="cpu", precision="fp8")


def latents(engine: Engine, steps: int = 4, guidance_scale: float = 4.0) -> torch.Tensor:
    sampling = {"num_inference_steps": steps, "guidance_scale": guidance_scale, "seed": 3}
    trajectory = engine.begin(GenerateImage.model_validate({"prompt": "x", "resolution": "256", "sampling": sampling}))
    while not trajectory.done:
        engine.step([trajectory])
    return trajectory.latents[0]


def test_a_picture_in_fp8_is_near_the_exact_one_and_takes_less_memory(engine, eight):
    # Guidance multiplies the difference of two passes, and their rounding with it: 0.12 becomes 0.35.
    exact, rough = latents(engine, guidance_scale=1.0), latents(eight, guidance_scale=1.0)
    assert 0 < relative(rough, exact) < 0.15
    assert eight.describe().startswith("fp8 · ")
    own = [sum(p.nbytes for p in one.model.generator.blocks.parameters()) for one in (engine, eight)]
    assert own[1] < own[0] / 3


def test_the_first_and_last_steps_are_precise_and_a_short_run_has_none(eight, monkeypatch):
    said: list[bool] = []
    monkeypatch.setattr(
        "engine.towers.generator.set_precise",
        lambda module, precise: (said.append(precise), set_precise(module, precise)),
    )
    latents(eight, steps=4)
    assert said in ([], [False])
    said.clear()
    latents(eight, steps=20)
    assert said == [True, False, True]


def test_what_is_packed_with_a_step_of_another_precision_comes_out_as_alone(eight):
    def begun(seed: int):
        sampling = {"num_inference_steps": 20, "guidance_scale": 4.0, "seed": seed}
        return eight.begin(GenerateImage.model_validate({"prompt": "x", "resolution": "256", "sampling": sampling}))

    ahead, behind, alone = begun(1), begun(2), begun(2)
    for _ in range(3):
        eight.step([ahead])
    eight.step([ahead, behind])
    eight.step([alone])
    assert relative(behind.latents[0], alone.latents[0]) < 1e-5
