"""The engine's interface, through itself."""

from __future__ import annotations

import time

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import Engine
from studio.errors import BadInput, NotACheckpoint, PromptTooLong
from studio.rules import canvas

quick = settings(
    max_examples=8, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def difference(ours, theirs) -> float:
    return float((ours.latents[0] - theirs.latents[0]).abs().max())


def test_it_says_its_precision_and_its_size(engine):
    assert engine.describe() == "float32 · 5 MB"


def test_a_trajectory_counts_its_steps_and_tokens(engine, ask):
    trajectory = engine.begin(ask(num_inference_steps=2))
    assert (trajectory.step, trajectory.num_steps, trajectory.done) == (0, 2, False)
    assert trajectory.num_tokens == 2 * 8 * 8
    engine.step([trajectory])
    engine.step([trajectory])
    assert (trajectory.step, trajectory.done, trajectory.num_tokens) == (2, True, 0)


def test_without_guidance_one_branch_runs(engine, ask):
    assert engine.begin(ask(guidance_scale=1.0)).num_tokens == 64


def test_without_guidance_the_negative_prompt_is_not_even_read(engine, ask, run):
    over_long = "word " * 5000
    assert run(engine, ask(guidance_scale=1.0, negative_prompt=over_long)).done


def test_one_seed_is_one_picture(engine, ask, run):
    first, again, other = (engine.finish(run(engine, ask(seed=seed))).image for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert np.abs(first.astype(int) - other).mean() > 5


def test_pictures_depend_on_the_prompt_and_are_no_flat_grey(engine, ask, run):
    cube = engine.finish(run(engine, ask("a red cube"))).image
    bench = engine.finish(run(engine, ask("a long workbench with three steel bowls"))).image
    assert np.abs(cube.astype(int) - bench).mean() > 5
    assert cube.std((0, 1)).min() > 15


def test_a_prompt_that_is_kept_gives_what_a_prompt_that_is_read_gives(engine, ask, run):
    request = ask("kept or read", seed=4)
    engine.prefixes.clear()
    read = run(engine, request)
    kept = run(engine, request)
    assert kept.prefixes[0] is read.prefixes[0]
    engine.prefixes.clear()
    read_again = run(engine, request)
    assert read_again.prefixes[0] is not read.prefixes[0]
    assert difference(kept, read) == difference(kept, read_again) == 0


SMALL = st.fixed_dictionaries(
    {
        "prompt": st.text(min_size=1, max_size=80).filter(str.strip),
        "aspect_ratio": st.sampled_from(["16:9", "4:3", "1:1", "3:4", "9:16"]),
        "guidance_scale": st.sampled_from([1.0, 4.0]),
        "schedule": st.sampled_from(["native", "checkpoint"]),
        "num_inference_steps": st.integers(1, 4),
        "seed": st.integers(0, 2**53 - 1),
    }
)


@quick
@given(wanted=st.lists(SMALL, min_size=2, max_size=4))
def test_packed_is_alone(engine, ask, run, wanted):
    requests = [ask(**fields) for fields in wanted]
    packed = [engine.begin(request) for request in requests]
    while running := [trajectory for trajectory in packed if not trajectory.done]:
        engine.step(running)
    for request, trajectory in zip(requests, packed, strict=True):
        scale = float(trajectory.latents[0].abs().max())
        assert difference(run(engine, request), trajectory) < 1e-5 * max(scale, 1)


def test_other_trajectories_between_its_steps_change_nothing(engine, ask, run):
    request = ask(num_inference_steps=4)
    stepped, stranger = engine.begin(request), engine.begin(ask("someone else", num_inference_steps=4))
    while not stepped.done:
        engine.step([stepped])
        engine.preview(stepped)
        engine.step([stranger])
    assert difference(run(engine, request), stepped) == 0


def test_a_guidance_interval_over_everything_is_plain_guidance(engine, ask, run):
    assert difference(run(engine, ask()), run(engine, ask(guidance_interval=(0, 1001)))) == 0


def test_a_guidance_interval_over_nothing_is_no_guidance(engine, ask, run):
    assert difference(run(engine, ask(guidance_scale=1.0)), run(engine, ask(guidance_interval=(0, 0)))) == 0


def test_a_guidance_interval_includes_its_ends_and_halves_the_other_steps(engine, reference, ask, run):
    request = ask(num_inference_steps=4, flow_shift=5.0, guidance_interval=(833, 937))
    trajectory = engine.begin(request)
    tokens = []
    while not trajectory.done:
        tokens.append(trajectory.num_tokens)
        engine.step([trajectory])
    assert trajectory.plan.schedule.timesteps == (999, 937, 833, 624)
    assert tokens == [64, 128, 128, 64]
    opening = ask(num_inference_steps=4, flow_shift=5.0, guidance_interval=(960, 1001))
    latents, _ = reference.draw(opening, guided_steps=1)
    assert float((run(engine, opening).latents[0] - latents[0]).abs().max()) < 1e-4


def test_a_preview_is_a_small_picture_at_any_step(engine, ask):
    trajectory = engine.begin(ask(resolution="480", aspect_ratio="16:9", num_inference_steps=2))
    for _ in range(3):
        preview = engine.preview(trajectory)
        assert preview.dtype == np.uint8
        assert preview.shape == (120, 208, 3)
        if not trajectory.done:
            engine.step([trajectory])


def test_a_preview_costs_well_under_a_step_at_720p(engine, ask):
    trajectory = engine.begin(ask(resolution="720", aspect_ratio="16:9", num_inference_steps=5))
    step, preview = [], []
    for _ in range(5):
        start = time.process_time()  # what a busy machine takes beside it does not count
        engine.step([trajectory])
        between = time.process_time()
        engine.preview(trajectory)
        step.append(between - start)
        preview.append(time.process_time() - between)
    assert min(preview) < 0.25 * min(step)


def test_a_preview_looks_like_the_picture(engine, ask, run):
    trajectory = run(engine, ask(num_inference_steps=6))
    small = engine.preview(trajectory).astype(float)
    image = engine.finish(trajectory).image.astype(float)
    shrunk = image.reshape(64, 4, 64, 4, 3).mean((1, 3))
    assert np.corrcoef(shrunk.reshape(-1), small.reshape(-1))[0, 1] > 0.3


def test_finishing_early_keeps_the_estimate(engine, ask):
    trajectory = engine.begin(ask(num_inference_steps=6))
    for _ in range(3):
        engine.step([trajectory])
    result = engine.finish(trajectory)
    assert result.stopped_at_step == 3
    assert result.image.shape == (256, 256, 3)
    with torch.inference_mode():
        estimate = trajectory.states[0].x0
        decoded = engine.decoder.decode(estimate)
    levels = ((decoded.clamp(-1, 1) + 1) * 127.5).round().permute(1, 2, 0).numpy()
    assert np.array_equal(result.image, levels.astype(np.uint8))


def test_a_finished_run_decodes_its_last_latents(engine, ask, run):
    trajectory = run(engine, ask())
    assert engine.finish(trajectory).stopped_at_step is None
    assert torch.equal(trajectory.estimates()[0], trajectory.latents[0])


@pytest.mark.parametrize(("resolution", "aspect_ratio"), [("256", "9:16"), ("480", "3:4")])
def test_the_image_has_the_canvas_of_the_request(engine, ask, run, resolution, aspect_ratio):
    request = ask(resolution=resolution, aspect_ratio=aspect_ratio, num_inference_steps=1)
    image = engine.finish(run(engine, request)).image
    width, height = canvas(resolution, aspect_ratio)
    assert image.shape == (height, width, 3)
    assert image.dtype == np.uint8


@pytest.mark.parametrize("field", ["prompt", "negative_prompt"])
def test_an_over_long_prompt_is_refused_with_its_length(engine, ask, field):
    with pytest.raises(PromptTooLong, match=r"comes to [\d,]+ tokens; the maximum is 4,096") as raised:
        engine.begin(ask(**{"prompt": "short", field: "zq " * 3000}))
    assert raised.value.param == field


def test_a_prompt_of_exactly_the_limit_is_read(engine, ask):
    frame = len(engine.begin(ask("z", use_resolution_template=False)).plan.branches[0].tokens) - 1
    request = ask("z" * (4096 - frame), use_resolution_template=False)
    assert len(engine.begin(request).plan.branches[0].tokens) == 4096
    with pytest.raises(PromptTooLong, match="4,097"):
        engine.begin(ask("z" * (4097 - frame), use_resolution_template=False))


def test_no_gradient_is_ever_kept(engine, ask, run):
    trajectory = run(engine, ask())
    assert not trajectory.latents[0].requires_grad
    assert trajectory.latents[0].is_inference()


def test_a_folder_of_something_else_is_no_checkpoint(tmp_path):
    with pytest.raises(NotACheckpoint, match=r"model_index\.json"):
        Engine.load(tmp_path, device="cpu")


def test_a_device_that_is_not_there_is_named(speck):
    with pytest.raises(BadInput, match="abacus"):
        Engine.load(speck, device="abacus")


def test_half_precision_runs_and_stays_near(speck, engine, ask, run):
    half = Engine.load(speck, device="cpu", dtype=torch.bfloat16)
    assert half.describe().startswith("bfloat16")
    ours, exact = run(half, ask()), run(engine, ask())
    assert ours.latents[0].dtype == torch.float32
    assert float((ours.latents[0] - exact.latents[0]).norm() / exact.latents[0].norm()) < 0.1
