"""Adapters in the engine against the same adapters in diffusers, float32 on the CPU."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import torch
from diffusers import Cosmos3OmniTransformer

CLOSE = 1e-4


@pytest.fixture
def engine(engine):
    """The session's, without an adapter again afterwards."""
    yield engine
    engine.use_adapter(None)


@contextmanager
def dressed(pipeline, transformer: Cosmos3OmniTransformer, scale: float) -> Iterator[None]:
    """diffusers' pipeline with another transformer, whose adapter counts as much as that."""
    bare = pipeline.transformer
    transformer.set_adapters(["default"], [scale])
    pipeline.register_modules(transformer=transformer)
    yield
    pipeline.register_modules(transformer=bare)


def worst(trajectory, theirs) -> float:
    return float((trajectory.latents[0] - theirs).abs().max())


@pytest.mark.parametrize("scale", [0.5, -1.5])
def test_a_picture_made_with_an_adapter_is_diffusers_picture(
    engine, reference, ask, run, adapter, train, record_property, scale
):
    request = ask(negative_prompt="blurry", seed=3)
    bare = run(engine, request).latents[0]
    with dressed(reference.pipeline, train(lora_alpha=8), scale):
        theirs, _ = reference.draw(request)
    engine.use_adapter(adapter, scale)
    trajectory = run(engine, request)
    record_property("worst_latent", f"{worst(trajectory, theirs[0]):.1e}")
    assert worst(trajectory, theirs[0]) < CLOSE
    assert worst(trajectory, bare) > 100 * CLOSE
    engine.use_adapter(None)
    assert torch.equal(run(engine, request).latents[0], bare)


def test_a_clip_with_sound_made_with_an_adapter_is_diffusers_clip(engine, omni, ask_video, run_video, adapter, train):
    request = ask_video(sound=True)
    bare = run_video(engine, request).latents
    with dressed(omni.pipeline, train(lora_alpha=8), 1.0):
        theirs = omni.draw(request, (96, 64), {})
    engine.use_adapter(adapter)
    trajectory = run_video(engine, request)
    assert worst(trajectory, theirs.latents) < CLOSE
    assert float((trajectory.latents[1] - theirs.sound_latents).abs().max()) < CLOSE
    engine.use_adapter(None)
    for ours, before in zip(run_video(engine, request).latents, bare, strict=True):
        assert torch.equal(ours, before)


@pytest.mark.parametrize(
    "fields",
    [
        {"use_rslora": True, "lora_alpha": 6},
        {"rank_pattern": {"to_q": 2}, "alpha_pattern": {"to_q": 3, r"layers\.[01]\.mlp\.up_proj": 1}},
    ],
    ids=["root_of_the_rank", "patterns"],
)
def test_ranks_and_alphas_mean_what_they_mean_to_peft(engine, reference, ask, run, train, tmp_path, fields):
    request = ask()
    trained = train(**fields)
    trained.save_lora_adapter(tmp_path / "own")
    with dressed(reference.pipeline, trained, 1.0):
        theirs, _ = reference.draw(request)
    engine.use_adapter(tmp_path / "own")
    assert worst(run(engine, request), theirs[0]) < CLOSE
    said = {"r": 4, "lora_alpha": 8} | fields
    beside = shutil.copytree(tmp_path / "own", tmp_path / "beside")
    (beside / "pytorch_lora_weights.safetensors").rename(beside / "adapter_model.safetensors")
    (beside / "adapter_config.json").write_text(json.dumps(said))
    engine.use_adapter(beside)
    assert worst(run(engine, request), theirs[0]) < CLOSE
