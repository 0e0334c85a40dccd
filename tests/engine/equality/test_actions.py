"""Forward dynamics, inverse dynamics and policies through diffusers' pipeline and through the engine."""

from __future__ import annotations

from typing import Any

import diffusers.pipelines.cosmos.pipeline_cosmos3_omni as library
import numpy as np
import pytest
import torch
from diffusers import Cosmos3OmniPipeline

from engine.planning.trained_strings import FRAMING
from studio.requests.actions import PredictActions, PredictVideo, RunPolicy
from studio.requests.embodiments import EMBODIMENTS

from .conftest import OmniReference

CLOSE = 1e-4
MEDIA = "u0123456789abcdef"
SAMPLING = {"num_inference_steps": 3, "guidance_scale": 3.0, "seed": 0, "flow_shift": 5.0}


def compare(engine, reference, request, media, record_property, view="ego_view") -> None:
    theirs = reference.act(request, media, view)
    trajectory = engine.begin(request, media)
    while not trajectory.done:
        engine.step([trajectory])
    result = engine.finish(trajectory)
    worst = float(np.abs(result.latents["vision"] - theirs.latents.numpy()).max())
    record_property("worst_latent", f"{worst:.1e}")
    assert worst < CLOSE
    assert (result.actions is None) == (theirs.actions is None)
    if result.actions is not None:
        assert result.actions.dtype == np.float32
        assert result.actions.shape == theirs.actions.shape
        worst_action = float(np.abs(result.actions - theirs.actions.numpy()).max())
        record_property("worst_action", f"{worst_action:.1e}")
        assert worst_action < CLOSE
    pixels = np.concatenate(list(result.frames))
    levels = (theirs.pixels * 255).round().permute(0, 2, 3, 1).numpy().astype(int)
    assert pixels.shape == levels.shape
    assert np.abs(pixels.astype(int) - levels).max() <= 1


def a_video(**fields: Any) -> PredictVideo:
    width = EMBODIMENTS[fields.get("embodiment", "bridge_orig_lerobot")].width
    rows = np.linspace(-1, 1, 8 * width).reshape(8, width).tolist()
    asked = {"embodiment": "bridge_orig_lerobot", "actions": rows, "start_image": MEDIA}
    return PredictVideo.model_validate({"prompt": "put the cube in the bowl", "sampling": SAMPLING} | asked | fields)


def actions_of(**fields: Any) -> PredictActions:
    asked = {"embodiment": "av", "num_actions": 4, "source_video": MEDIA}
    return PredictActions.model_validate({"prompt": "drive on!", "sampling": SAMPLING} | asked | fields)


def a_policy(**fields: Any) -> RunPolicy:
    asked = {"embodiment": "droid_lerobot", "num_actions": 8, "start_image": MEDIA}
    return RunPolicy.model_validate({"prompt": "put the cube in the bowl", "sampling": SAMPLING} | asked | fields)


@pytest.mark.parametrize(
    ("embodiment", "guidance_scale"), [("bridge_orig_lerobot", 1.0), ("hand_pose", 3.0)], ids=["alone", "guided"]
)
def test_what_actions_lead_to_is_what_diffusers_says(engine, omni, frames, record_property, embodiment, guidance_scale):
    request = a_video(embodiment=embodiment, sampling=SAMPLING | {"guidance_scale": guidance_scale})
    compare(engine, omni, request, {"start_image": frames(1, 240, 176)}, record_property)


@pytest.mark.parametrize(
    ("num_frames", "guidance_scale"),
    [(5, 1.0), (7, 3.0), (3, 3.0)],
    ids=["alone", "guided_longer", "guided_shorter"],
)
def test_which_actions_were_taken_is_what_diffusers_says(
    engine, omni, frames, record_property, num_frames, guidance_scale
):
    request = actions_of(sampling=SAMPLING | {"guidance_scale": guidance_scale}, fps=24)
    compare(engine, omni, request, {"source_video": frames(num_frames, 240, 176)}, record_property)


QUICK = {"pusht", "galbot"}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in QUICK else pytest.mark.slow)
        for name, body in EMBODIMENTS.items()
        if body.width and not body.state_width
    ],
)
def test_a_policy_of_every_embodiment_is_diffusers_policy(engine, omni, frames, record_property, name):
    sampling = SAMPLING | {"num_inference_steps": 2, "guidance_scale": 1.0}
    request = a_policy(embodiment=name, num_actions=4, sampling=sampling)
    compare(engine, omni, request, {"start_image": frames(1, 96, 64)}, record_property)


@pytest.mark.parametrize("embodiment", ["droid_lerobot", "agibotworld"])
def test_a_guided_policy_with_a_negative_prompt_and_system_prompt_is_diffusers_policy(
    engine, omni, frames, record_property, embodiment
):
    request = a_policy(embodiment=embodiment, negative_prompt="clumsy", use_system_prompt=True, view="concat_view")
    compare(engine, omni, request, {"start_image": frames(1, 96, 64)}, record_property, view="concat_view")


@pytest.mark.parametrize(
    ("tier", "size"),
    [("256", (200, 130)), ("256", (640, 360)), ("256", (90, 200)), ("256", (100, 30)), ("256", (64, 64))],
    ids=["padded", "shrunk", "tall", "far_too_small", "square"],
)
def test_frames_of_any_size_are_fitted_as_diffusers_fits_them(engine, omni, frames, record_property, tier, size):
    sampling = SAMPLING | {"num_inference_steps": 1, "guidance_scale": 1.0}
    request = a_policy(resolution=tier, num_actions=4, sampling=sampling)
    compare(engine, omni, request, {"start_image": frames(1, *size)}, record_property)


@pytest.mark.parametrize("kind", [a_video, actions_of, a_policy])
def test_an_edge_shaped_checkpoint_acts_the_same_too(edge_engine, edge_omni, frames, record_property, kind):
    request = kind(sampling=SAMPLING | {"guidance_scale": 1.0})
    media = {"source_video" if kind is actions_of else "start_image": frames(5 if kind is actions_of else 1)}
    compare(edge_engine, edge_omni, request, media, record_property)


class StatePipeline(Cosmos3OmniPipeline):
    """diffusers' policy with a clean row of state in front, which it cannot express: row 0 of the actions stands on
    frame 0, is told no timestep and has no velocity (NVIDIA's cosmos-framework, action_policy_server_robolab.py)."""

    state: torch.Tensor

    def _prepare_action_segment(self, **given: Any) -> dict[str, Any]:
        segment = super()._prepare_action_segment(**{**given, "condition_frame_indexes": [0]})
        ids, _ = library.get_3d_mrope_ids_vae_tokens(
            grid_t=segment["action_len"],
            grid_h=1,
            grid_w=1,
            temporal_offset=given["mrope_offset"],
            fps=given["action_fps"],
            temporal_compression_factor=1,
            base_temporal_compression_factor=4,
            start_frame_offset=0,
        )
        return segment | {"action_mrope_ids": ids}

    def prepare_latents(self, *args: Any, **given: Any) -> Any:
        prepared = list(super().prepare_latents(*args, **given))
        generator = torch.Generator().manual_seed(0)
        torch.randn(prepared[0].shape, generator=generator)
        rows = torch.randn((given["action"].chunk_size + 1, 64), generator=generator)
        rows[:, 8:] = 0
        rows[0, :8] = self.state
        mask = torch.zeros(len(rows), 1)
        mask[0] = 1
        prepared[2], prepared[7], prepared[10] = rows, mask, 8
        return tuple(prepared)


@pytest.mark.parametrize(
    ("tier", "size", "num_actions"),
    [("256", (96, 64), 8), pytest.param("480", (640, 540), 32, marks=pytest.mark.slow)],
    ids=["small", "released"],
)
def test_the_joint_policy_with_its_state_row_is_the_hand_made_oracle(
    engine, omni, frames, record_property, monkeypatch, tier, size, num_actions
):
    monkeypatch.setitem(library._ACTION_VIEWPOINT_TEMPLATES, "droid_view", FRAMING["droid_view"])
    joints, gripper = np.linspace(-1, 1, 7), 0.25
    asked = {"num_actions": num_actions, "resolution": tier, "sampling": SAMPLING | {"num_inference_steps": 4}}
    request = a_policy(embodiment="droid_joint_position", state=(*joints, gripper), **asked)
    media = {"start_image": frames(1, *size)}
    pipeline = StatePipeline(**omni.pipeline.components, enable_safety_checker=False)
    pipeline.set_progress_bar_config(disable=True)
    pipeline.video_processor = omni.pipeline.video_processor
    pipeline.state = torch.tensor([*joints, 1 - gripper], dtype=torch.float32)
    same = a_policy(**asked)
    theirs = OmniReference(pipeline, omni.shipped).act(same, media, "droid_view")
    trajectory = engine.begin(request, media)
    assert trajectory.plan.segments[1].shape == (num_actions + 1, 64)
    while not trajectory.done:
        assert torch.equal(trajectory.latents[1][0, :8], pipeline.state)
        engine.step([trajectory])
    result = engine.finish(trajectory)
    assert result.actions.shape == (num_actions, 8)
    expected = theirs.actions[1:].numpy().copy()
    expected[:, 7] = 1 - expected[:, 7]
    worst = float(np.abs(result.latents["vision"] - theirs.latents.numpy()).max())
    worst_action = float(np.abs(result.actions - expected).max())
    record_property("worst_latent", f"{worst:.1e}")
    record_property("worst_action", f"{worst_action:.1e}")
    assert max(worst, worst_action) < CLOSE


def test_actions_packed_with_other_requests_are_what_they_are_alone(engine, frames, ask, ask_video, begin_video):
    begun = (
        lambda: engine.begin(a_video(), {"start_image": frames(1)}),
        lambda: engine.begin(actions_of(), {"source_video": frames(5)}),
        lambda: engine.begin(a_policy(embodiment="pusht"), {"start_image": frames(1)}),
        lambda: begin_video(engine, ask_video(sound=True)),
        lambda: engine.begin(ask(num_inference_steps=2)),
    )
    packed = [begin() for begin in begun]
    while running := [trajectory for trajectory in packed if not trajectory.done]:
        engine.step(running)
    for begin, together in zip(begun, packed, strict=True):
        alone = begin()
        while not alone.done:
            engine.step([alone])
        for ours, theirs in zip(together.latents, alone.latents, strict=True):
            assert float((ours - theirs).abs().max()) < 1e-5 * max(float(theirs.abs().max()), 1)


def test_values_beyond_an_embodiment_s_width_are_zero_at_every_step(engine, frames):
    trajectory = engine.begin(a_policy(embodiment="pusht"), {"start_image": frames(1)})
    while not trajectory.done:
        assert not trajectory.latents[1][:, 2:].any()
        assert trajectory.latents[1][:, :2].all()
        engine.step([trajectory])
    assert engine.finish(trajectory).actions.shape == (8, 2)
    assert not trajectory.latents[1][:, 2:].any()
