"""Step caching: none is the exact path to the bit, and a threshold bounds what is left out and what it costs."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from engine import Engine, Trajectory
from engine.planning import Media
from engine.planning.transfer import transfer_plan
from engine.sampling import Step, next_steps, step_cache
from engine.sampling.sampler import denoise
from engine.sampling.step_cache import FIRST_SHARE
from studio.requests import parse_request

MEDIA = "u0123456789abcdef"
STEPS = 20


def made(engine: Engine, request: Any, media: Any = None) -> Trajectory:
    return finished(engine, engine.begin(request, media))


def finished(engine: Engine, *trajectories: Trajectory) -> Trajectory:
    while running := [trajectory for trajectory in trajectories if not trajectory.done]:
        engine.step(running)
    return trajectories[0]


def boundless(trajectory: Trajectory) -> Trajectory:
    """The same, keeping every step that may be kept."""
    trajectory.plan = replace(trajectory.plan, step_cache=math.inf)
    return trajectory


def error(ours: Trajectory, exact: Trajectory) -> float:
    pairs = zip(ours.latents, exact.latents, strict=True)
    return max(float((one - other).norm() / other.norm()) for one, other in pairs)


@pytest.fixture
def asked(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many tokens each pass of the generator had."""
    lengths: list[int] = []
    forward = engine.model.generator.forward

    def counted(x: torch.Tensor, pack: Any) -> torch.Tensor:
        lengths.append(len(x))
        return forward(x, pack)

    monkeypatch.setattr(engine.model.generator, "forward", counted)
    return lengths


def test_without_a_step_cache_nothing_is_remembered_and_the_device_is_not_asked(engine, ask, monkeypatch):
    monkeypatch.setattr(step_cache, "_size", lambda values: pytest.fail("something was measured"))
    trajectory = made(engine, ask(num_inference_steps=6))
    assert trajectory.computed is None
    assert trajectory.num_kept == 0


@pytest.mark.parametrize("threshold", [0, 1e-9])
def test_a_threshold_that_nothing_stays_under_is_the_exact_path_to_the_bit(engine, ask, threshold):
    exact = made(engine, ask(num_inference_steps=STEPS))
    cached = made(engine, ask(num_inference_steps=STEPS, step_cache=threshold))
    assert cached.num_kept == 0
    assert torch.equal(cached.latents[0], exact.latents[0])


def test_a_wider_threshold_leaves_out_more_passes_and_drifts_further(engine, ask, asked):
    exact = made(engine, ask(num_inference_steps=STEPS))
    assert len(asked) == STEPS
    kept, drifts = [0], [0.0]
    for threshold in (0.2, 0.4, 0.8):
        asked.clear()
        cached = made(engine, ask(num_inference_steps=STEPS, step_cache=threshold))
        assert len(asked) == STEPS - cached.num_kept
        kept.append(cached.num_kept)
        drifts.append(error(cached, exact))
        assert drifts[-1] < threshold
    # How many a threshold leaves out depends on the random weights, which differ between kinds of processor.
    assert kept == sorted(kept)
    assert len(set(kept)) > 2
    assert drifts == sorted(drifts)


def test_the_first_fifth_and_the_last_step_are_always_computed(engine, ask):
    trajectory = boundless(engine.begin(ask(num_inference_steps=STEPS, step_cache=1)))
    kept: list[bool] = []
    while not trajectory.done:
        before = trajectory.num_kept
        engine.step([trajectory])
        kept.append(trajectory.num_kept > before)
    first = int(FIRST_SHARE * STEPS)
    assert kept == [False] * first + [True] * (STEPS - first - 1) + [False]


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_a_run_too_short_to_keep_anything_is_exact(engine, ask, steps):
    exact = made(engine, ask(num_inference_steps=steps))
    assert torch.equal(made(engine, ask(num_inference_steps=steps, step_cache=1)).latents[0], exact.latents[0])


def test_a_velocity_is_no_other_guidance_s(engine, ask):
    """Guided between 400 and 800: where that begins and ends two steps are computed, which is what a rate takes."""
    request = ask(num_inference_steps=STEPS, step_cache=1, guidance_interval=(400, 800))
    trajectory = engine.begin(request)
    factors = trajectory.plan.factors
    changes = [index for index in range(1, STEPS) if factors[index] != factors[index - 1]]
    assert len(changes) == 2
    kept: list[bool] = []
    while not trajectory.done:
        kept.append(next_steps([trajectory])[0].is_kept)
        engine.step([trajectory])
    assert not any(kept[index] or kept[index + 1] for index in changes)
    assert any(kept[changes[0] + 2 : changes[1]])


def test_the_estimate_is_the_change_that_was_measured_times_the_way_that_was_gone():
    """4 % for a way of 2 is 2 % for a way of 1: 0.05 leaves out two steps, and the third is computed."""
    factors = (1.0, 0.0)
    plan = SimpleNamespace(
        step_cache=0.05,
        factors=(factors,) * 10,
        schedule=SimpleNamespace(num_steps=10, sigmas=[1 - index / 10 for index in range(11)]),
    )
    at = SimpleNamespace(plan=plan, factors=factors, index=1, computed=None, latents=[torch.tensor([2.0, 0.0])])
    at.computed = step_cache.computed(at, {0: torch.tensor([0.96, 0.0])})
    at.latents, at.index = [torch.tensor([0.0, 0.0])], 2
    at.computed = step_cache.computed(at, {0: torch.tensor([1.0, 0.0])})
    assert next_steps([at])[0].is_kept
    for way, is_kept in ((1.0, True), (2.0, True), (3.0, False)):
        at.latents = [torch.tensor([0.0, way])]
        assert next_steps([at])[0].is_kept == is_kept, way


def test_a_kept_velocity_goes_on_to_change_by_half_of_what_it_changed():
    factors = (1.0, 0.0)
    schedule = SimpleNamespace(num_steps=10, sigmas=[1 - index / 10 for index in range(11)])
    plan = SimpleNamespace(step_cache=0.05, factors=(factors,) * 10, schedule=schedule)
    at = SimpleNamespace(plan=plan, factors=factors, index=1, computed=None, latents=[torch.tensor([2.0])])
    at.computed = step_cache.computed(at, {0: torch.tensor([0.96])})
    at.latents, at.index = [torch.tensor([0.0])], 2
    at.computed = step_cache.computed(at, {0: torch.tensor([1.0])})
    for index, expected in ((3, 1.02), (4, 1.04)):
        at.index = index
        assert step_cache.kept(at)[0].item() == pytest.approx(expected)


def test_of_several_segments_the_one_that_changes_most_decides(engine, ask_video, begin_video):
    def begin(threshold: float | None) -> Trajectory:
        sampling = {"num_inference_steps": STEPS, "sound": True, "num_frames": 5, "step_cache": threshold}
        return begin_video(engine, ask_video(**sampling))

    trajectory = begin(0.1)
    finished(engine, trajectory)
    assert 0 < trajectory.num_kept < STEPS
    exact = finished(engine, begin(None))
    assert all(
        float((one - other).norm() / other.norm()) < 0.1
        for one, other in zip(trajectory.latents, exact.latents, strict=True)
    )


def test_what_is_given_stays_exactly_as_it_was_given(engine, ask_video, begin_video, frames):
    request = ask_video(num_inference_steps=STEPS, start_image=MEDIA, step_cache=0.5)
    trajectory = begin_video(engine, request, media={"start_image": frames(1)})
    given = trajectory.latents[0][:, :1].clone()
    finished(engine, trajectory)
    assert trajectory.num_kept > 0
    assert torch.equal(trajectory.latents[0][:, :1], given)


def test_trajectories_of_different_thresholds_are_packed_and_each_is_what_it_is_alone(engine, ask, asked):
    fields = [{"step_cache": 0.3, "seed": 1}, {"seed": 2}, {"step_cache": 0.15, "seed": 3}]
    requests = [ask(num_inference_steps=STEPS, **more) for more in fields]
    alone = [made(engine, request) for request in requests]
    asked.clear()
    packed = [engine.begin(request) for request in requests]
    finished(engine, *packed)
    assert [one.num_kept for one in packed] == [one.num_kept for one in alone]
    assert packed[0].num_kept > packed[2].num_kept > packed[1].num_kept == 0
    assert sum(asked) == sum((STEPS - one.num_kept) * one.plan.num_tokens(0) for one in packed)
    assert max(error(one, other) for one, other in zip(packed, alone, strict=True)) < 1e-5


def test_a_step_that_every_one_of_them_keeps_makes_no_pass(engine, ask, asked):
    requests = [ask(num_inference_steps=STEPS, step_cache=1, seed=seed) for seed in (1, 2)]
    packed = [boundless(engine.begin(request)) for request in requests]
    finished(engine, *packed)
    assert len(asked) == STEPS - packed[0].num_kept
    assert packed[0].num_kept == packed[1].num_kept > 0


def test_a_pass_that_fails_moves_nobody_not_even_those_that_need_none(engine, ask):
    keeping = engine.begin(ask(num_inference_steps=STEPS, step_cache=1))
    while not next_steps([keeping])[0].is_kept:
        engine.step([keeping])
    passing = engine.begin(ask(num_inference_steps=STEPS))
    before = (keeping.step, keeping.num_kept, keeping.latents[0])

    def broken(*_: object) -> torch.Tensor:
        raise MemoryError

    with pytest.raises(MemoryError), torch.inference_mode():
        denoise(engine.model, [Step(keeping, True), Step(passing, False)], broken)
    assert (keeping.step, keeping.num_kept, keeping.latents[0]) == before
    assert passing.step == 0


def test_each_chunk_of_a_long_clip_begins_anew_and_its_kept_steps_count(engine, frames):
    request = parse_request(
        {
            "kind": "transfer_video",
            "prompt": "x",
            "controls": [{"hint": "edge", "video": MEDIA}],
            "num_chunk_frames": 5,
            "num_overlap_frames": 1,
            "sampling": {"num_inference_steps": 10, "seed": 1, "step_cache": 1},
        }
    )
    media = Media({"edge": frames(9)}, engine.coder.encode)
    with torch.inference_mode():
        trajectory = engine.start(transfer_plan(request, (96, 64), engine.setting, media))  # type: ignore[arg-type]
    kept: list[bool] = []
    while not trajectory.done:
        before = trajectory.num_kept
        engine.step([trajectory])
        kept.append(trajectory.num_kept > before)
    assert len(kept) == 20
    assert kept[2], "the first chunk keeps as soon as it has a rate"
    assert kept[10:12] == [False, False], "the second has none of the first one's"
    assert any(kept[12:])
    assert trajectory.num_kept == sum(kept)


@pytest.mark.parametrize("kind", ["predict_video", "predict_actions"])
def test_actions_have_it_too(engine, frames, kind):
    given = {"start_image": MEDIA, "actions": [[0.1, -0.2]] * 8} if kind == "predict_video" else {}
    given = given or {"source_video": MEDIA, "num_actions": 8}
    asked = {"kind": kind, "prompt": "push", "embodiment": "pusht", "resolution": "256", **given}
    media = {"start_image": frames(1), "source_video": frames(9)}

    def run(threshold: float | None) -> Trajectory:
        sampling = {"num_inference_steps": 12, "guidance_scale": 1, "seed": 1, "step_cache": threshold}
        return made(engine, parse_request({**asked, "sampling": sampling}), media)

    exact, cached = run(None), run(0.2)
    assert cached.num_kept > 0
    assert error(cached, exact) < 0.2
