"""Attention in FP8: joined from two calls without loss, near the exact one, and blind to the prompt's outliers."""

from __future__ import annotations

import pytest
import torch

from engine import Engine
from engine.towers import fp8_attention as room
from engine.towers.attention_kernels import can_attend_in_fp8, dense_attention
from engine.towers.fp8_attention import fp8_attention
from studio.errors import BadInput
from studio.requests import GenerateImage

HEADS, KV_HEADS, WIDTH = 8, 2, 32


def relative(one: torch.Tensor, other: torch.Tensor) -> float:
    return float((one - other).norm() / other.norm())


@pytest.fixture
def given() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Two sequences of 48 tokens over prompts of 12; keys have a mean of their own, as trained ones have."""
    torch.manual_seed(0)
    q, keys, values = (torch.randn(2, tokens, heads, WIDTH) for tokens, heads in ((48, HEADS), (60, KV_HEADS), (60, 2)))
    return q, keys + 3 * torch.randn(KV_HEADS, WIDTH), values


def test_two_calls_are_joined_to_what_one_gives(given, monkeypatch):
    def unrounded(x: torch.Tensor, num_kv_heads: int) -> tuple[torch.Tensor, torch.Tensor]:
        return x.float(), torch.ones(len(x), num_kv_heads)

    monkeypatch.setattr(room, "_by_head", unrounded)
    assert torch.allclose(fp8_attention(*given), dense_attention(*given, "plain"), atol=2e-6)


def test_it_is_near_the_exact_one_and_keys_with_a_mean_are_no_worse(given):
    q, keys, values = given
    exact = dense_attention(q, keys, values, "plain")
    error = relative(fp8_attention(q, keys, values), exact)
    assert 0 < error < 0.08
    without = keys - keys[:, :48].mean(1, keepdim=True)
    assert error < 1.3 * relative(fp8_attention(q, without, values), dense_attention(q, without, values, "plain"))


def test_outliers_of_the_prompt_cost_nothing(given):
    q, keys, values = given
    keys[:, 48:, :, 0] *= 50
    assert relative(fp8_attention(q, keys, values), dense_attention(q, keys, values, "plain")) < 0.08


@pytest.fixture(scope="module")
def both(speck) -> tuple[Engine, Engine]:
    eight, attending = (Engine.load(speck, device="cpu", precision=name) for name in ("fp8", "fp8-attention"))
    return eight, attending


def after(engine: Engine, num_steps: int) -> torch.Tensor:
    sampling = {"num_inference_steps": 20, "guidance_scale": 1.0, "seed": 3}
    trajectory = engine.begin(GenerateImage.model_validate({"prompt": "x", "resolution": "256", "sampling": sampling}))
    for _ in range(num_steps):
        engine.step([trajectory])
    return trajectory.latents[0]


def test_precise_steps_attend_as_ever_and_the_others_in_fp8(both):
    eight, attending = both
    assert torch.equal(after(attending, 2), after(eight, 2))
    assert 0 < relative(after(attending, 6), after(eight, 6)) < 0.02
    assert attending.describe().startswith("fp8-attention · ")


def test_a_device_that_cannot_is_refused_with_what_to_do_instead(speck, monkeypatch):
    monkeypatch.setattr("engine.tower_loading.can_attend_in_fp8", lambda device: False)
    with pytest.raises(BadInput, match="needs a Hopper GPU") as refused:
        Engine.load(speck, device="cpu", precision="fp8-attention")
    assert refused.value.param == "precision"
    assert can_attend_in_fp8(torch.device("cpu"))
