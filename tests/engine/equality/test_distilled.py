"""Distilled checkpoints through diffusers' modular pipeline and through the engine."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from diffusers import FlowMatchEulerDiscreteScheduler
from diffusers.modular_pipelines import Cosmos3DistilledBlocks

from engine import Engine
from studio.checkpoints import find_checkpoint
from studio.errors import BrokenCheckpoint, NotAllowed

from .conftest import library_noise, pictures

CLOSE = 1e-4
SIGMAS = [1.0, 0.9375, 0.8333, 0.625]
MEDIA = "u0123456789abcdef"
DISTILLED = {"num_inference_steps": 4, "guidance_scale": 1.0}


@pytest.fixture(scope="module")
def folder(speck: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """speck, as a distilled release would describe it."""
    copy = Path(shutil.copytree(speck, tmp_path_factory.mktemp("checkpoints") / "distilled"))
    FlowMatchEulerDiscreteScheduler(stochastic_sampling=True, shift=1.0).save_pretrained(copy / "scheduler")
    (copy / "modular_model_index.json").write_text(json.dumps({"is_distilled": True, "distilled_sigmas": SIGMAS}))
    return copy


@pytest.fixture(scope="module")
def distilled(folder: Path) -> Engine:
    return Engine.load(folder, device="cpu")


@pytest.fixture(scope="module")
def modular(omni: Any) -> Any:
    pipeline = Cosmos3DistilledBlocks().init_pipeline()
    parts = {name: omni.pipeline.components[name] for name in ("transformer", "vae", "text_tokenizer")}
    pipeline.update_components(**parts, scheduler=FlowMatchEulerDiscreteScheduler(stochastic_sampling=True, shift=1.0))
    pipeline.register_to_config(distilled_sigmas=SIGMAS, is_distilled=True)
    pipeline.disable_safety_checker()
    pipeline.set_progress_bar_config(disable=True)
    return pipeline


def draw(modular: Any, request: Any, size: tuple[int, int], **given: Any) -> tuple[torch.Tensor, torch.Tensor]:
    with library_noise():
        state = modular(
            prompt=request.prompt,
            width=size[0],
            height=size[1],
            use_system_prompt=request.use_system_prompt,
            generator=torch.Generator().manual_seed(request.sampling.seed),
            output_type="pt",
            **given,
        )
    return state.get("latents")[0], state.get("videos")


def compare(engine, trajectory, theirs, record_property) -> None:
    latents, pixels = theirs
    worst = float((trajectory.latents[0] - latents).abs().max())
    record_property("worst_latent", f"{worst:.1e}")
    assert worst < CLOSE
    ours = np.concatenate(list(engine.finish(trajectory).frames))
    levels = (pixels * 255).round().permute(0, 2, 3, 1).numpy().astype(int)
    assert ours.shape == levels.shape
    assert np.abs(ours.astype(int) - levels).max() <= 1


@pytest.mark.parametrize("seed", [0, 7])
def test_a_distilled_picture_is_diffusers_picture(distilled, modular, ask, run, record_property, seed):
    request = ask(seed=seed, **DISTILLED)
    theirs = draw(modular, request, (256, 256), num_frames=1)
    compare(distilled, run(distilled, request), theirs, record_property)


@pytest.mark.parametrize("source", ["words", "picture"])
def test_a_distilled_clip_is_diffusers_clip(distilled, modular, ask_video, run_video, frames, record_property, source):
    picture = frames(1)
    fields, media, given = {}, {}, {}
    if source == "picture":
        fields, media, given = {"start_image": MEDIA}, {"start_image": picture}, {"image": pictures(picture)[0]}
    request = ask_video(**DISTILLED, **fields)
    theirs = draw(modular, request, (96, 64), num_frames=9, fps=24.0, **given)
    trajectory = run_video(distilled, request, (96, 64), media)
    compare(distilled, trajectory, theirs, record_property)
    if media:
        with torch.inference_mode():
            assert torch.equal(trajectory.latents[0][:, :1], distilled.coder.encode(picture))


def test_one_seed_is_one_picture_whatever_runs_beside_it(distilled, ask, run):
    alone = run(distilled, ask(seed=1, **DISTILLED))
    together = [distilled.begin(ask(seed=seed, **DISTILLED)) for seed in (1, 2)]
    while not together[0].done:
        distilled.step(together)
    assert float((alone.latents[0] - together[0].latents[0]).abs().max()) < 1e-5 * float(alone.latents[0].abs().max())


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"num_inference_steps": 5, "guidance_scale": 1.0}, "sampling.num_inference_steps"),
        ({"num_inference_steps": 4, "guidance_scale": 4.0}, "sampling.guidance_scale"),
    ],
)
def test_other_steps_and_guidance_than_it_was_distilled_for_are_refused(distilled, ask, fields, param):
    with pytest.raises(NotAllowed, match="distilled") as raised:
        distilled.begin(ask(**fields))
    assert raised.value.param == param


def test_a_distilled_checkpoint_with_another_scheduler_is_refused(speck, folder, tmp_path, ask):
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    shutil.copy(speck / "scheduler" / "scheduler_config.json", copy / "scheduler" / "scheduler_config.json")
    with pytest.raises(NotAllowed, match="UniPCMultistepScheduler"):
        Engine.load(copy, device="cpu").begin(ask(**DISTILLED))


def test_levels_that_are_none_are_a_broken_checkpoint(folder, tmp_path):
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    (copy / "modular_model_index.json").write_text(json.dumps({"distilled_sigmas": [1.0, "high"]}))
    with pytest.raises(BrokenCheckpoint, match="distilled_sigmas"):
        Engine.load(copy, device="cpu")


def test_a_folder_as_diffusers_saves_a_distilled_pipeline_is_loaded(
    distilled, modular, ask, run, record_property, tmp_path
):
    saved = tmp_path / "saved"
    modular.save_pretrained(str(saved), overwrite_modular_index=True)
    assert json.loads((saved / "modular_model_index.json").read_text())["distilled_sigmas"] == SIGMAS
    assert not (saved / "model_index.json").exists()
    request = ask(seed=4, **DISTILLED)
    loaded = Engine.load(saved, device="cpu")
    compare(loaded, run(loaded, request), draw(modular, request, (256, 256), num_frames=1), record_property)
    found = find_checkpoint(str(saved), {}, tmp_path)
    assert found.installed
    assert found.capabilities().distilled_steps == 4
