"""Clips with and without sound through diffusers' pipeline and through the engine, float32 on the CPU."""

from __future__ import annotations

import numpy as np
import pytest

LATENTS = 1e-4
SOUND = 1e-4


def compare(engine, reference, run_video, request, record_property, size=(96, 64), media=None) -> None:
    theirs = reference.draw(request, size, media or {})
    trajectory = run_video(engine, request, size, media)
    result = engine.finish(trajectory)
    worst = float(np.abs(result.latents["vision"] - theirs.latents.numpy()).max())
    record_property("worst_latent", f"{worst:.1e}")
    assert worst < LATENTS
    pixels = np.concatenate(list(result.frames))
    assert pixels.shape == (request.num_frames, size[1], size[0], 3)
    levels = (theirs.pixels * 255).round().permute(0, 2, 3, 1).numpy().astype(int)
    assert np.abs(pixels.astype(int) - levels).max() <= 1
    assert (result.sound is None) == (theirs.sound is None)
    if result.sound is not None:
        worst_latent = float(np.abs(result.latents["sound"] - theirs.sound_latents.numpy()).max())
        worst_sample = float(np.abs(result.sound - theirs.sound.numpy()).max())
        record_property("worst_sound_latent", f"{worst_latent:.1e}")
        record_property("worst_sample", f"{worst_sample:.1e}")
        assert result.sound.dtype == np.float32
        assert worst_latent < LATENTS
        assert worst_sample < SOUND


@pytest.mark.parametrize("guidance_scale", [1.0, 3.0], ids=["alone", "guided"])
@pytest.mark.parametrize("schedule", ["native", "checkpoint"])
@pytest.mark.parametrize(
    ("fps", "size"), [(24.0, (96, 64)), (15.0, (96, 64)), (24.0, (112, 64))], ids=["24fps", "15fps", "odd_width"]
)
def test_a_clip_from_words_is_diffusers_clip(
    engine, omni, ask_video, run_video, record_property, fps, size, schedule, guidance_scale
):
    request = ask_video(fps=fps, schedule=schedule, guidance_scale=guidance_scale)
    compare(engine, omni, run_video, request, record_property, size)


def test_a_clip_from_a_picture_is_diffusers_clip(engine, omni, ask_video, run_video, frames, record_property):
    request = ask_video(start_image="u0123456789abcdef")
    compare(engine, omni, run_video, request, record_property, media={"start_image": frames(1)})


@pytest.mark.parametrize(
    ("kept", "end", "num_source_frames"),
    [((0, 1), "first", 13), ((0, 1), "last", 13), ((0, 2), "first", 13), ((3,), "last", 13), ((0, 2), "first", 4)],
    ids=["two", "last_two", "a_gap", "one_late", "short_source"],
)
def test_a_clip_from_a_clip_is_diffusers_clip(
    engine, omni, ask_video, run_video, frames, record_property, kept, end, num_source_frames
):
    request = ask_video(
        num_frames=13, source_video="u0123456789abcdef", condition_frames=kept, condition_end=end, seed=2
    )
    compare(engine, omni, run_video, request, record_property, media={"source_video": frames(num_source_frames)})


@pytest.mark.parametrize("source", ["words", "picture", "clip"])
def test_sound_comes_with_each_of_them(engine, omni, ask_video, run_video, frames, record_property, source):
    fields, media = {}, {}
    if source == "picture":
        fields, media = {"start_image": "u0123456789abcdef"}, {"start_image": frames(1)}
    if source == "clip":
        fields, media = {"source_video": "u0123456789abcdef"}, {"source_video": frames(9)}
    request = ask_video(sound=True, **fields)
    compare(engine, omni, run_video, request, record_property, media=media)


@pytest.mark.parametrize("use_system_prompt", [True, False])
@pytest.mark.parametrize(("resolution", "duration"), [(True, False), (False, True), (False, False)])
def test_prompt_switches_mean_what_they_mean_in_diffusers(
    engine, omni, ask_video, run_video, record_property, use_system_prompt, resolution, duration
):
    request = ask_video(
        use_system_prompt=use_system_prompt,
        use_resolution_template=resolution,
        use_duration_template=duration,
        fps=12.5,
        num_inference_steps=1,
    )
    compare(engine, omni, run_video, request, record_property)


def test_twenty_steps_of_a_clip_with_sound_stay_together(engine, omni, ask_video, run_video, frames, record_property):
    request = ask_video(sound=True, start_image="u0123456789abcdef", num_inference_steps=20)
    compare(engine, omni, run_video, request, record_property, media={"start_image": frames(1)})


@pytest.mark.slow
def test_thirty_five_steps_of_a_longer_clip_stay_together(engine, omni, ask_video, run_video, record_property):
    request = ask_video(num_frames=49, num_inference_steps=35, sound=True)
    compare(engine, omni, run_video, request, record_property, (192, 128))


@pytest.mark.parametrize("source", ["words", "picture"])
def test_an_edge_shaped_checkpoint_makes_the_same_clip_too(
    edge_engine, edge_omni, ask_video, run_video, frames, record_property, source
):
    fields, media = {}, {}
    if source == "picture":
        fields, media = {"start_image": "u0123456789abcdef"}, {"start_image": frames(1)}
    compare(edge_engine, edge_omni, run_video, ask_video(**fields), record_property, media=media)
