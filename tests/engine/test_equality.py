"""The same prompt, noise and settings through diffusers' pipeline and through the engine, float32 on the CPU."""

from __future__ import annotations

import numpy as np
import pytest
import torch

LATENTS = 1e-4
PIXELS = 1 / 255


def compare(engine, reference, run, request, record_property) -> None:
    latents, pixels = reference.draw(request)
    trajectory = run(engine, request)
    with torch.inference_mode():
        drawn = engine.decoder.decode(trajectory.latents[0]) / 2 + 0.5
    worst_latent = float((trajectory.latents[0] - latents[0]).abs().max())
    worst_pixel = float((drawn - pixels).abs().max())
    record_property("worst_latent", f"{worst_latent:.1e}")
    record_property("worst_pixel", f"{worst_pixel * 255:.4f}/255")
    assert worst_latent < LATENTS
    assert worst_pixel < PIXELS
    levels = (pixels * 255).round().permute(1, 2, 0).numpy().astype(int)
    assert np.abs(engine.finish(trajectory).image.astype(int) - levels).max() <= 1


SMALL, WIDE, LARGE = ("256", "1:1"), ("720", "16:9"), ("768", "4:3")
QUICK = [(SMALL, scale, schedule) for scale in (1.0, 4.0) for schedule in ("native", "checkpoint")]
QUICK += [(WIDE, 4.0, "native"), (LARGE, 1.0, "checkpoint")]
EVERY = [
    (size, scale, schedule)
    for size in (SMALL, WIDE, LARGE)
    for scale in (1.0, 4.0)
    for schedule in ("native", "checkpoint")
]


@pytest.mark.parametrize(
    ("size", "guidance_scale", "schedule"),
    [pytest.param(*case, marks=() if case in QUICK else pytest.mark.slow) for case in EVERY],
)
def test_a_picture_is_the_picture_that_diffusers_draws(
    engine, reference, ask, run, record_property, size, guidance_scale, schedule
):
    request = ask(
        negative_prompt="blurry",
        resolution=size[0],
        aspect_ratio=size[1],
        guidance_scale=guidance_scale,
        schedule=schedule,
        seed=3,
    )
    compare(engine, reference, run, request, record_property)


def test_twenty_steps_stay_together(engine, reference, ask, run, record_property):
    compare(engine, reference, run, ask(num_inference_steps=20, seed=5), record_property)


@pytest.mark.slow
def test_fifty_steps_at_720p_stay_together(engine, reference, ask, run, record_property):
    request = ask(num_inference_steps=50, seed=5, resolution="720", aspect_ratio="16:9")
    compare(engine, reference, run, request, record_property)


def test_one_step_is_enough(engine, reference, ask, run, record_property):
    compare(engine, reference, run, ask(num_inference_steps=1), record_property)


@pytest.mark.parametrize("schedule", ["native", "checkpoint"])
@pytest.mark.parametrize("guidance_scale", [1.0, 4.0], ids=["alone", "guided"])
def test_an_edge_shaped_checkpoint_draws_the_same_too(
    edge_engine, edge_reference, ask, run, record_property, guidance_scale, schedule
):
    request = ask(num_inference_steps=6, guidance_scale=guidance_scale, schedule=schedule, negative_prompt="blurry")
    compare(edge_engine, edge_reference, run, request, record_property)


@pytest.mark.parametrize("use_resolution_template", [True, False])
@pytest.mark.parametrize("use_system_prompt", [True, False])
def test_prompt_switches_mean_what_they_mean_in_diffusers(
    engine, reference, ask, run, record_property, use_system_prompt, use_resolution_template
):
    request = ask(
        prompt="a red cube...",
        negative_prompt="blurry.",
        use_system_prompt=use_system_prompt,
        use_resolution_template=use_resolution_template,
    )
    compare(engine, reference, run, request, record_property)
