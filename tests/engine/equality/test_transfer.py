"""Transfer through diffusers' modular pipeline and the engine; averaged attention against a hand-made oracle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import diffusers.models.transformers.transformer_cosmos3 as library
import numpy as np
import pytest
import torch
from diffusers import UniPCMultistepScheduler
from diffusers.modular_pipelines import Cosmos3OmniBlocks
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from engine.planning import Media
from engine.planning.transfer import transfer_plan
from studio.requests.transfer_video import TransferSampling, TransferVideo

from .conftest import OmniReference, library_noise, native, pictures

CLOSE = 1e-4
MEDIA = "u0123456789abcdef"
SIZE = (96, 64)


class NativeScheduler(UniPCMultistepScheduler):
    """The modular pipeline asks for a number of steps only; this answers with the framework's own sigmas."""

    def set_timesteps(self, num_inference_steps: int, device: Any = None, **_: Any) -> None:
        sigmas = np.linspace(0.999, 0, num_inference_steps + 1)[:-1]
        super().set_timesteps(num_inference_steps, device=device, sigmas=sigmas)


@dataclass(frozen=True)
class TransferReference:
    """diffusers' modular pipeline on the parts of its other one."""

    modular: Any
    shipped: UniPCMultistepScheduler

    def draw(self, request: TransferVideo, media: Mapping[str, np.ndarray]) -> tuple[Tensor, Tensor]:
        """The last chunk's latents and all pixels [T, 3, height, width] in 0..1."""
        sampling = request.sampling
        scheduler = (
            NativeScheduler.from_config(native(self.shipped, sampling.flow_shift).config)
            if sampling.schedule == "native"
            else UniPCMultistepScheduler.from_config(self.shipped.config)
        )
        self.modular.update_components(scheduler=scheduler)
        given = {}
        if request.source_video is not None:
            given["video"] = pictures(media["source_video"])
            given["num_first_chunk_conditional_frames"] = request.num_source_frames
        with library_noise():
            state = self.modular(
                prompt=request.prompt,
                negative_prompt=request.negative_prompt,
                control_videos={control.hint: pictures(media[control.hint]) for control in request.controls},
                num_frames=request.num_frames,
                width=SIZE[0],
                height=SIZE[1],
                fps=request.fps,
                num_video_frames_per_chunk=request.num_chunk_frames,
                num_conditional_frames=request.num_overlap_frames,
                num_inference_steps=sampling.num_inference_steps,
                guidance_scale=sampling.guidance_scale,
                control_guidance=sampling.control_guidance,
                guidance_interval=sampling.guidance_interval,
                control_guidance_interval=sampling.control_guidance_interval,
                generator=torch.Generator().manual_seed(sampling.seed),
                output_type="pt",
                **given,
            )
        return state.get("latents")[0], state.get("videos")


def modular(omni: OmniReference) -> TransferReference:
    pipeline = Cosmos3OmniBlocks().init_pipeline()
    parts = {name: part for name, part in omni.pipeline.components.items() if part is not None and name != "scheduler"}
    pipeline.update_components(**parts, scheduler=omni.shipped)
    pipeline.disable_safety_checker()
    pipeline.set_progress_bar_config(disable=True)
    return TransferReference(pipeline, omni.shipped)


@pytest.fixture(scope="module")
def transfer(omni: OmniReference) -> TransferReference:
    return modular(omni)


def a_transfer(*hints: str, weights: tuple[float, ...] = (), **fields: Any) -> TransferVideo:
    sampling = {"num_inference_steps": 2, "guidance_scale": 3.0, "control_guidance": 1.5, "seed": 0}
    sampling |= {name: fields.pop(name) for name in list(fields) if name in TransferSampling.model_fields}
    given = weights or (1.0,) * len(hints)
    controls = [{"hint": hint, "video": MEDIA, "weight": weight} for hint, weight in zip(hints, given, strict=True)]
    asked = {"prompt": '{"scene": "robot"}', "negative_prompt": "blurry", "num_chunk_frames": 9}
    return TransferVideo.model_validate(asked | {"controls": controls, "sampling": sampling} | fields)


def controls_of(frames: Any, request: TransferVideo, num_frames: int = 9) -> dict[str, np.ndarray]:
    hints = [control.hint for control in request.controls]
    return {hint: frames(num_frames, *SIZE, seed=seed) for seed, hint in enumerate(hints)}


def run(engine: Any, request: TransferVideo, media: Mapping[str, np.ndarray]) -> Any:
    with torch.inference_mode():
        plan = transfer_plan(request, SIZE, engine.setting, Media(media, engine.codecs.encode))
    trajectory = engine.start(plan)
    total = trajectory.num_steps
    while not trajectory.done:
        assert trajectory.num_tokens > 0
        engine.step([trajectory])
        assert trajectory.num_steps == total
    return trajectory


def compare(engine, reference, request, media, record_property) -> None:
    latents, pixels = reference.draw(request, media)
    trajectory = run(engine, request, media)
    worst = float((trajectory.latents[trajectory.plan.target] - latents).abs().max())
    record_property("worst_latent", f"{worst:.1e}")
    assert worst < CLOSE
    ours = np.concatenate(list(engine.finish(trajectory).frames))
    levels = (pixels * 255).round().permute(0, 2, 3, 1).numpy().astype(int)
    assert ours.shape == levels.shape
    assert np.abs(ours.astype(int) - levels).max() <= 1


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"guidance_scale": 1.0, "control_guidance": 3.0},
        {"control_guidance": 1.0},
        {"guidance_scale": 1.0, "control_guidance": 1.0},
        {"guidance_scale": 0.5, "control_guidance": 0.0},
        {"schedule": "checkpoint"},
        {"fps": 15.0},
    ],
    ids=["both", "control_only", "words_only", "neither", "below_one", "checkpoint", "15fps"],
)
def test_one_control_is_diffusers_transfer(engine, transfer, frames, record_property, fields):
    request = a_transfer("edge", **fields)
    compare(engine, transfer, request, controls_of(frames, request), record_property)


def test_guidance_within_its_intervals_is_diffusers_guidance(engine, transfer, frames, record_property):
    request = a_transfer(
        "wsm",
        num_inference_steps=4,
        flow_shift=5.0,
        guidance_interval=(833, 937),
        control_guidance_interval=(900, 1001),
    )
    compare(engine, transfer, request, controls_of(frames, request), record_property)


def test_several_controls_at_once_are_diffusers_transfer_in_its_order(engine, transfer, frames, record_property):
    request = a_transfer("seg", "edge", "depth", control_attention="joint")
    compare(engine, transfer, request, controls_of(frames, request), record_property)


@pytest.mark.parametrize(
    ("num_frames", "fields"),
    [
        (17, {}),
        (15, {"num_overlap_frames": 5}),
        (13, {"num_overlap_frames": 2, "num_frames": 11}),
        (7, {}),
        (1, {}),
    ],
    ids=["two", "three_overlapping", "cut_short", "not_whole", "a_picture"],
)
def test_chunks_of_a_long_clip_are_diffusers_chunks(engine, transfer, frames, record_property, num_frames, fields):
    request = a_transfer("edge", **fields)
    compare(engine, transfer, request, controls_of(frames, request, num_frames), record_property)


def test_several_controls_in_several_chunks_from_a_clip_are_diffusers_transfer(
    engine, transfer, frames, record_property
):
    request = a_transfer("depth", "edge", control_attention="joint", source_video=MEDIA, num_source_frames=5)
    media = controls_of(frames, request, 13) | {"source_video": frames(9, *SIZE, seed=9)}
    compare(engine, transfer, request, media, record_property)


def test_an_edge_shaped_checkpoint_transfers_the_same_too(edge_engine, edge_omni, frames, record_property):
    request = a_transfer("edge", "blur", control_attention="joint")
    compare(edge_engine, modular(edge_omni), request, controls_of(frames, request), record_property)


def averaged(lengths: tuple[int, ...], weights: tuple[float, ...], num_target: int) -> Any:
    """diffusers' attention with one pass for each control: [text, control, target] sees itself, the target's outputs
    are averaged (NVIDIA's cosmos-framework, multi_control_two_way_attention)."""
    ordinary = library.dispatch_attention_fn

    def attend(q: Tensor, k: Tensor, v: Tensor, *, is_causal: bool, **given: Any) -> Tensor:
        num_tokens = q.shape[1]
        if is_causal or num_tokens != sum(lengths) + num_target:
            return ordinary(q, k, v, is_causal=is_causal, **given)
        text = list(range(k.shape[1] - num_tokens))
        out = torch.zeros_like(q)
        start = 0
        for length, weight in zip(lengths, weights, strict=True):
            rows = [*range(start, start + length), *range(num_tokens - num_target, num_tokens)]
            seen = text + [len(text) + row for row in rows]
            passed = scaled_dot_product_attention(
                q[:, rows].transpose(1, 2), k[:, seen].transpose(1, 2), v[:, seen].transpose(1, 2), enable_gqa=True
            ).transpose(1, 2)
            out[:, rows[:length]] = passed[:, :length]
            out[:, rows[length:]] += weight * passed[:, length:]
            start += length
        return out

    return attend


@pytest.mark.parametrize(
    ("hints", "weights"),
    [(("edge", "blur"), (0.75, 0.25)), (("edge", "blur", "depth"), (1.0, 1.0, 1.0)), (("edge", "seg"), (3.0, 0.0))],
    ids=["weighted", "three_alike", "one_counts"],
)
def test_averaged_controls_are_the_hand_made_oracle(
    engine, transfer, frames, record_property, monkeypatch, hints, weights
):
    request = a_transfer(*hints, weights=weights)
    num_tokens = 3 * 2 * 3
    shares = tuple(weight / sum(weights) for weight in weights)
    attend = averaged((num_tokens,) * len(hints), shares, num_tokens)
    monkeypatch.setattr(library, "dispatch_attention_fn", attend)
    compare(engine, transfer, request, controls_of(frames, request), record_property)


def test_averaged_and_joint_attention_differ_with_two_controls_only(engine, frames):
    for hints, same in ((("edge",), True), (("edge", "blur"), False)):
        made = [a_transfer(*hints, control_attention=way) for way in ("averaged", "joint")]
        first, second = (run(engine, request, controls_of(frames, request)) for request in made)
        difference = float((first.latents[-1] - second.latents[-1]).abs().max())
        assert (difference == 0) == same


def test_transfers_packed_with_other_requests_are_what_they_are_alone(engine, frames, ask, run_video, ask_video):
    made = [a_transfer("edge", "blur"), a_transfer("edge", "blur", control_attention="joint"), a_transfer("edge")]
    given = [controls_of(frames, request, 13) for request in made]
    with torch.inference_mode():
        plans = [
            transfer_plan(request, SIZE, engine.setting, Media(media, engine.codecs.encode))
            for request, media in zip(made, given, strict=True)
        ]
    packed = [engine.start(plan) for plan in plans] + [engine.begin(ask())]
    while running := [trajectory for trajectory in packed if not trajectory.done]:
        engine.step(running)
    for request, media, together in zip(made, given, packed, strict=False):
        alone = run(engine, request, media)
        scale = float(alone.latents[-1].abs().max())
        assert float((alone.latents[-1] - together.latents[-1]).abs().max()) < 1e-5 * max(scale, 1)


def test_a_long_clip_stopped_in_its_second_chunk_keeps_the_first(engine, frames):
    request = a_transfer("edge")
    media = controls_of(frames, request, 17)
    with torch.inference_mode():
        plan = transfer_plan(request, SIZE, engine.setting, Media(media, engine.codecs.encode))
    trajectory = engine.start(plan)
    assert trajectory.num_steps == 4
    for _ in range(3):
        engine.step([trajectory])
        assert engine.preview(trajectory).shape == (16, 24, 3)
    result = engine.finish(trajectory)
    assert result.stopped_at_step == 3
    assert set(result.latents) == {"vision_0", "vision_1"}
    stopped = np.concatenate(list(result.frames))
    whole = np.concatenate(list(engine.finish(run(engine, request, media)).frames))
    assert stopped.shape == whole.shape == (17, 64, 96, 3)
    assert np.array_equal(stopped[:9], whole[:9])
    assert not np.array_equal(stopped[9:], whole[9:])


def test_controls_are_taken_by_their_hints_at_the_canvas_of_the_request(engine, frames):
    request = a_transfer("edge", "depth", resolution="256", num_chunk_frames=5, num_inference_steps=1)
    media = {"depth": frames(5, 320, 192, seed=1), "edge": frames(5, 320, 192, seed=0)}
    trajectory = engine.begin(request, media)
    with torch.inference_mode():
        for index, hint in enumerate(("edge", "depth")):
            assert torch.equal(trajectory.latents[index], engine.coder.encode(media[hint]))
    engine.step([trajectory])
    assert [piece.shape for piece in engine.finish(trajectory).frames] == [(1, 192, 320, 3), (4, 192, 320, 3)]
